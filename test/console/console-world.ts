/**
 * The console in a real browser, against a whole server. A page that logs anything as an error or a warning, breaks the
 * Content-Security-Policy, asks another host for anything, asks the API for what its viewer may not see, or opens a
 * dialog or a window of the browser fails the test: `Opened` notices, and its end throws. hostile-texts.pg.test.ts
 * provokes each of them.
 */
import type { Browser, BrowserContext, Page, Response } from 'playwright-core'
import { launchBrowser } from '../harness/chromium.ts'
import { PATIENCE_MS } from '../harness/patience.ts'
import { Story, tokenOf, type Person, type StoryOptions } from '../harness/story.ts'

/** What browsers print of their own when a server is away; a page cannot keep it quiet. */
export const SERVER_AWAY = /ERR_(?:CONNECTION_\w+|INTERNET_DISCONNECTED|SOCKET_NOT_CONNECTED)|WebSocket connection to/

export interface OpenOptions {
  /** Behind the "#", such as "/sessions". */
  readonly path?: string
  readonly width?: number
  readonly height?: number
  readonly colorScheme?: 'light' | 'dark'
  /** True: fingers, and keys on the screen. */
  readonly hasTouch?: boolean
  /** In which the page shows times; that of the machine when left out. */
  readonly timeZone?: string
  /** What the browser may complain of: nothing, unless the test provokes it. */
  readonly allowed?: RegExp
  /** For a page that is given routes later: requests right behind a first `route` would still pass it by. */
  readonly isRouted?: boolean
}

interface OpenedOptions {
  /** Whom the page may ask. */
  readonly origins: readonly string[]
  readonly allowed?: RegExp
}

/** One page in a browser of its own. Its end throws what went wrong. */
export class Opened implements AsyncDisposable {
  readonly page: Page
  readonly context: BrowserContext
  /** What the browser complained of. */
  readonly complaints: string[] = []
  readonly #allowed: RegExp | undefined
  readonly #answers = new Set<Promise<void>>()

  constructor(context: BrowserContext, page: Page, { origins, allowed }: OpenedOptions) {
    this.context = context
    this.page = page
    this.#allowed = allowed
    page.setDefaultTimeout(PATIENCE_MS)
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning')
        this.complaints.push(`${message.text()} (${message.location().url})`)
    })
    page.on('pageerror', (error) => this.complaints.push(String(error.stack ?? error)))
    page.on('dialog', (dialog) => {
      this.complaints.push(`opened a dialog: ${dialog.message()}`)
      void dialog.dismiss()
    })
    page.on('websocket', (socket) => this.#checkHost(socket.url().replace(/^ws/, 'http'), origins))
    page.on('popup', (other) => this.complaints.push(`opened a window: ${other.url()}`))
    page.on('request', (request) => this.#checkHost(request.url(), origins))
    page.on('response', (response) => {
      if (new URL(response.url()).pathname === '/graphql') this.#answers.add(this.#checkAnswer(response))
    })
  }

  #checkHost(url: string, origins: readonly string[]): void {
    const { protocol, origin } = new URL(url)
    const isOwn = ['data:', 'blob:', 'about:'].includes(protocol) || origins.includes(origin)
    if (!isOwn) this.complaints.push(`asked another host: ${url}`)
  }

  async #checkAnswer(response: Response): Promise<void> {
    // An answer that the page did not wait for has no body.
    const body = await response.text().catch(() => '')
    if (body.startsWith('{"errors"')) this.complaints.push(`the API answered: ${body.slice(0, 500)}`)
  }

  /** Complaints that no test has allowed. */
  get problems(): string[] {
    return this.complaints.filter((complaint) => this.#allowed?.test(complaint) !== true)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.context.close()
    await Promise.all(this.#answers)
    const { problems } = this
    if (problems.length > 0) throw new Error(`the browser complained:\n${problems.join('\n')}`)
  }
}

/** A browser, and a server whose console is opened in it. */
export class ConsoleBrowser implements AsyncDisposable {
  /** Of the server. */
  readonly url: string
  readonly #browser: Browser

  private constructor(browser: Browser, url: string) {
    this.#browser = browser
    this.url = url
  }

  static async launch(url: string): Promise<ConsoleBrowser> {
    return new ConsoleBrowser(await launchBrowser(), url)
  }

  /** A profile without a login, and its empty page. */
  async blank(options: OpenOptions = {}): Promise<Opened> {
    const { width = 1280, height = 800, colorScheme = 'light', hasTouch = false, timeZone, allowed } = options
    const { isRouted = false } = options
    const zone = timeZone === undefined ? {} : { timezoneId: timeZone }
    const context = await this.#browser.newContext({ viewport: { width, height }, colorScheme, hasTouch, ...zone })
    const page = await context.newPage()
    if (isRouted) await page.route('**/no-such-path', (route) => route.fallback())
    return new Opened(context, page, { origins: [this.url], ...(allowed !== undefined && { allowed }) })
  }

  /** The console as this person sees it, logged in by their token. */
  async open(person: Person, options: OpenOptions = {}): Promise<Opened> {
    const opened = await this.blank(options)
    await this.logIn(opened, person)
    await opened.page.goto(`${this.url}/#${options.path ?? '/'}`)
    return opened
  }

  /** Gives the profile the person's cookie, as the page that logs in would. */
  async logIn({ context }: Opened, person: Person): Promise<void> {
    const headers = { origin: this.url, 'sec-fetch-site': 'same-origin' }
    const answer = await context.request.post(`${this.url}/login`, { headers, data: { token: tokenOf(person) } })
    if (answer.status() !== 200) throw new Error(`${person} was not logged in: ${await answer.text()}`)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#browser.close()
  }
}

/** A story, and a browser in which it is shown. */
export class ConsoleWorld implements AsyncDisposable {
  readonly story: Story
  readonly #browser: ConsoleBrowser
  readonly #cleanup: AsyncDisposableStack

  private constructor(story: Story, browser: ConsoleBrowser, cleanup: AsyncDisposableStack) {
    this.story = story
    this.#browser = browser
    this.#cleanup = cleanup
  }

  static async begin(options: StoryOptions = {}): Promise<ConsoleWorld> {
    await using stack = new AsyncDisposableStack()
    const story = stack.use(await Story.begin(options))
    const browser = stack.use(await ConsoleBrowser.launch(story.app.url))
    return new ConsoleWorld(story, browser, stack.move())
  }

  /** Of the server. */
  get url(): string {
    return this.story.app.url
  }

  /** As `ConsoleBrowser` has it. */
  blank(options: OpenOptions = {}): Promise<Opened> {
    return this.#browser.blank(options)
  }

  /** As `ConsoleBrowser` has it. */
  logIn(opened: Opened, person: Person): Promise<void> {
    return this.#browser.logIn(opened, person)
  }

  /** As `ConsoleBrowser` has it. */
  open(person: Person, options: OpenOptions = {}): Promise<Opened> {
    return this.#browser.open(person, options)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#cleanup.disposeAsync()
  }
}
