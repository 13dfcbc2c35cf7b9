/** examples/react-chat as its users have it: built by Vite, served from an address of its own, in a real browser. */
import { join, resolve } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { launchBrowser } from '../harness/chromium.ts'
import { Opened, SERVER_AWAY } from '../console/console-world.ts'
import { createTemporaryHome } from '../harness/temporary-home.ts'

const ROOT = resolve('examples/react-chat')

export class ChatPages implements AsyncDisposable {
  readonly #url: string
  readonly #open: () => Promise<Opened>
  readonly #cleanup: AsyncDisposableStack

  private constructor(url: string, open: () => Promise<Opened>, cleanup: AsyncDisposableStack) {
    this.#url = url
    this.#open = open
    this.#cleanup = cleanup
  }

  /** `serverUrl`: whom the page asks. */
  static async begin(serverUrl: string): Promise<ChatPages> {
    await using stack = new AsyncDisposableStack()
    const { build, preview } = await import('vite')
    const outDir = join(stack.use(await createTemporaryHome()).path, 'dist')
    const define = { 'import.meta.env.VITE_FACTOTUM_URL': JSON.stringify(serverUrl) }
    await build({ root: ROOT, define, logLevel: 'warn', build: { outDir, emptyOutDir: true } })
    const server = await preview({
      root: ROOT,
      logLevel: 'warn',
      build: { outDir },
      preview: { host: '127.0.0.1', port: 0 },
    })
    stack.defer(() => server.close())
    const url = server.resolvedUrls?.local[0] ?? ''
    const browser = stack.use(await launchBrowser())
    const context = await browser.newContext()
    const open = async (): Promise<Opened> =>
      new Opened(context, await context.newPage(), { origins: [new URL(url).origin, serverUrl], allowed: SERVER_AWAY })
    return new ChatPages(url, open, stack.move())
  }

  /** A tab in which the person has entered their token. */
  async enter(token: string, sessionId: string): Promise<ChatTab> {
    const opened = await this.#open()
    await opened.page.goto(`${this.#url}#${encodeURIComponent(sessionId)}`)
    await opened.page.getByLabel('Token').fill(token)
    await opened.page.getByRole('button', { name: 'Enter' }).click()
    return new ChatTab(opened)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#cleanup.disposeAsync()
  }
}

/** What a person sees and does. */
export class ChatTab {
  readonly opened: Opened
  readonly page: Page

  constructor(opened: Opened) {
    this.opened = opened
    this.page = opened.page
  }

  async say(text: string): Promise<void> {
    await this.page.getByLabel('Message').fill(text)
    await this.button('Send').click()
  }

  button(name: string): Locator {
    return this.page.getByRole('button', { name, exact: true })
  }

  /** Every entry on the page: what it is, and its text. */
  async entries(): Promise<[kind: string, text: string][]> {
    return this.page
      .locator('p[class]')
      .evaluateAll((all) => all.map(({ className, textContent }) => [className, textContent]))
  }
}
