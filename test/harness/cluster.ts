/**
 * Several server processes on one database and one home, as in production, for stories in which some of them die.
 * Everything ends with the test (`await using`), in whatever state the processes are.
 */
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { configPath } from '../../src/config/load-config.ts'
import { ApiClient } from './api-client.ts'
import { createTestDatabase } from './database.ts'
import { ServerProcess, type ServerProcessOptions } from './server-process.ts'
import { storyConfig, tokenOf, type Person, type StoryConfig } from './story.ts'
import { createTemporaryHome } from './temporary-home.ts'

export interface ClusterOptions {
  readonly config?: StoryConfig
  /** On the embedded PostgreSQL of the home, as without DATABASE_URL. */
  readonly embedded?: boolean
  /** On a database of the test's own, which it migrates with the first server. */
  readonly databaseUrl?: string
}

export class Cluster implements AsyncDisposable {
  readonly home: string
  /** Null: embedded. */
  readonly databaseUrl: string | null
  readonly #cleanup: AsyncDisposableStack

  private constructor(place: { home: string; databaseUrl: string | null }, cleanup: AsyncDisposableStack) {
    this.home = place.home
    this.databaseUrl = place.databaseUrl
    this.#cleanup = cleanup
  }

  static async begin({ config, embedded = false, databaseUrl: own }: ClusterOptions = {}): Promise<Cluster> {
    await using stack = new AsyncDisposableStack()
    const home = stack.use(await createTemporaryHome()).path
    await chmod(home, 0o711)
    await writeFile(configPath(home), storyConfig(config), { mode: 0o600 })
    const databaseUrl = embedded ? null : (own ?? stack.use(await createTestDatabase()).url)
    return new Cluster({ home, databaseUrl }, stack.move())
  }

  /** One more process. `databaseUrl`: another way to the same database. */
  async start(options: Partial<Omit<ServerProcessOptions, 'home'>> = {}): Promise<ServerProcess> {
    const { databaseUrl } = this
    return this.#cleanup.use(await ServerProcess.start({ databaseUrl, ...options, home: this.home }))
  }

  /** One statement, past all servers. */
  async query<Row extends pg.QueryResultRow>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    const client = new pg.Client({ connectionString: this.databaseUrl ?? '' })
    await client.connect()
    try {
      return (await client.query<Row>(sql, [...values])).rows
    } finally {
      await client.end()
    }
  }

  path(name: string): string {
    return join(this.home, name)
  }

  /** The lines of a file in the home to which commands append; none when there is no such file. */
  async lines(name: string): Promise<string[]> {
    const text = await readFile(this.path(name), 'utf8').catch(() => '')
    return text.split('\n').filter((line) => line !== '')
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#cleanup.disposeAsync()
  }
}

export function clientOf(server: ServerProcess, person: Person): ApiClient {
  return new ApiClient(server.url, tokenOf(person))
}
