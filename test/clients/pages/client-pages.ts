/** Pages by others' clients in a real browser: bundled, served from an address of their own, each in two tabs. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { buildSchema, introspectionFromSchema } from 'graphql'
import type { BrowserContext, JSHandle } from 'playwright-core'
import { rolldown } from 'rolldown'
import { launchBrowser } from '../../harness/chromium.ts'
import { Opened, SERVER_AWAY } from '../../console/console-world.ts'
import { artifactsForRelay } from '../relay/compile-for-relay.ts'
import type { OpenedPage, PageOptions } from './page.ts'

const INDEX =
  '<!doctype html><link rel="icon" href="data:," /><title>Chat</title><script type="module" src="main.js"></script>'

/** A tab of the browser. */
export interface Tab {
  readonly opened: Opened
  readonly shown: JSHandle<OpenedPage>
}

export class ClientPages implements AsyncDisposable {
  readonly #url: string
  readonly #newContext: () => Promise<BrowserContext>
  readonly #cleanup: AsyncDisposableStack

  private constructor(url: string, newContext: () => Promise<BrowserContext>, cleanup: AsyncDisposableStack) {
    this.#url = url
    this.#newContext = newContext
    this.#cleanup = cleanup
  }

  static async begin(): Promise<ClientPages> {
    await using stack = new AsyncDisposableStack()
    const files = await filesOfPages()
    const server = createServer(({ url = '' }, response) => {
      const [type, body] = files.get(url.slice(1)) ?? ['text/plain', '']
      response.setHeader('content-type', type).end(body)
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    stack.defer(() => {
      server.close()
      server.closeAllConnections()
    })
    const { port } = server.address() as AddressInfo
    const browser = stack.use(await launchBrowser())
    return new ClientPages(`http://127.0.0.1:${port}/`, () => browser.newContext(), stack.move())
  }

  /** Two tabs of one person. */
  async open(options: PageOptions): Promise<readonly [Tab, Tab]> {
    const context = await this.#newContext()
    return [await this.#openTab(context, options), await this.#openTab(context, options)]
  }

  async #openTab(context: BrowserContext, options: PageOptions): Promise<Tab> {
    const page = await context.newPage()
    const origins = [new URL(this.#url).origin, options.url]
    const opened = new Opened(context, page, { origins, allowed: SERVER_AWAY })
    await page.goto(this.#url)
    const shown = await page.evaluateHandle(
      (given) => (globalThis as unknown as { openPage(of: PageOptions): Promise<OpenedPage> }).openPage(given),
      options,
    )
    return { opened, shown }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#cleanup.disposeAsync()
  }
}

/** By path: the type, and what is in it. */
async function filesOfPages(): Promise<Map<string, [type: string, body: string]>> {
  const input = fileURLToPath(new URL('main.ts', import.meta.url))
  const define = { 'process.env.NODE_ENV': '"production"' }
  const bundle = await rolldown({ input, platform: 'browser', transform: { define }, logLevel: 'silent' })
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false })
  await bundle.close()
  const introspection = introspectionFromSchema(buildSchema(readFileSync('schema.graphql', 'utf8')))
  return new Map([
    ['', ['text/html', INDEX]],
    ['main.js', ['text/javascript', output[0].code]],
    ['introspection.json', ['application/json', JSON.stringify(introspection)]],
    ['artifacts.json', ['application/json', JSON.stringify(Object.fromEntries(await artifactsForRelay()))]],
  ])
}
