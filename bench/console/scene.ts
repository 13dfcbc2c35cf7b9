/** A server with a database behind it, and a browser: what the console is measured on. */
import pg from 'pg'
import type { Browser } from 'playwright-core'
import { launchBrowser } from '../../test/harness/chromium.ts'
import { Stage } from '../stage.ts'

export type Run = (sql: string, values: readonly unknown[]) => Promise<unknown>

export class Scene implements AsyncDisposable {
  readonly stage: Stage
  readonly browser: Browser
  readonly #cleanup: AsyncDisposableStack

  private constructor(stage: Stage, browser: Browser, cleanup: AsyncDisposableStack) {
    this.stage = stage
    this.browser = browser
    this.#cleanup = cleanup
  }

  static async begin(): Promise<Scene> {
    await using stack = new AsyncDisposableStack()
    const stage = stack.use(await Stage.start())
    const browser = await launchBrowser()
    stack.defer(() => browser.close())
    return new Scene(stage, browser, stack.move())
  }

  /** Past the server; then the statistics are as they are after a while. */
  readonly sql = async (work: (run: Run) => Promise<unknown>): Promise<void> => {
    const client = new pg.Client({ connectionString: this.stage.databaseUrl })
    await client.connect()
    try {
      await work((sql, values) => client.query(sql, [...values]))
      await client.query('VACUUM ANALYZE')
    } finally {
      await client.end()
    }
  };

  [Symbol.asyncDispose](): Promise<void> {
    return this.#cleanup.disposeAsync()
  }
}
