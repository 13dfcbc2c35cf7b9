/**
 * `npm run shots`: a picture of every page of the console, with a filled example behind it, in light and dark, at the
 * width of a laptop and of a phone. Exit codes: 0 all are there, 1 not, 2 wrong usage.
 */
import { createHash } from 'node:crypto'
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { startApp } from '../../../src/app.ts'
import { configPath } from '../../../src/config/load-config.ts'
import { DEFAULT_CONNECTIONS } from '../../../src/config/process-connections.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { LogLines } from '../../../src/platform/log-lines.ts'
import { createLogger } from '../../../src/platform/logger.ts'
import { startEmbeddedPostgres } from '../../../src/postgres/embedded-postgres.ts'
import { resolveDatabase } from '../../../src/store/connection/resolve-database.ts'
import { Database } from '../../../src/store/database.ts'
import { ApiClient } from '../../harness/api-client.ts'
import { storyConfig, tokenOf } from '../../harness/story.ts'
import { createTemporaryHome } from '../../harness/temporary-home.ts'
import { launchBrowser } from '../../harness/chromium.ts'
import { startExample } from './example.ts'
import { PICTURES, type Picture } from './pictures.ts'
import { STORY_TIMING } from '../../harness/story-timing.ts'

const usage = `npm run shots -- [options]

  --to <folder>    where the pictures go        default docs/pictures
  --only <part>    pictures whose name has this in it
  --png            PNG, for programs that do not show WebP
  --stay           leaves the server running, until Ctrl-C, and prints a token
  --help           this`

const SIZES = [
  { name: 'wide', width: 1280, height: 800 },
  { name: 'phone', width: 390, height: 844 },
] as const
const SCHEMES = ['light', 'dark'] as const

async function main(): Promise<void> {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean' } as const
  const { values } = parseArgs({ options: { to: text, only: text, png: flag, stay: flag, help: flag } })
  if (values.help === true) return console.log(usage)
  const to = values.to ?? fileURLToPath(new URL('../../../docs/pictures', import.meta.url))
  await using world = await startWorld()
  console.log(`Pictures of ${world.url}`)
  if (values.stay === true) {
    console.log(`${world.url} with the token ${tokenOf('ada')}`)
    await new Promise((resolve) => process.once('SIGINT', resolve))
    return
  }
  const format = values.png === true ? 'png' : 'webp'
  const wanted = PICTURES.filter(({ name }) => name.includes(values.only ?? ''))
  if (values.only === undefined) await rm(to, { recursive: true, force: true })
  await mkdir(to, { recursive: true })
  await using stack = new AsyncDisposableStack()
  const browser = await launchBrowser()
  stack.defer(() => browser.close())
  for (const size of SIZES)
    for (const scheme of SCHEMES) await shoot({ browser, url: world.url, to, size, scheme, format }, wanted)
}

interface Shoot {
  readonly browser: Browser
  readonly url: string
  readonly to: string
  readonly size: (typeof SIZES)[number]
  readonly scheme: (typeof SCHEMES)[number]
  readonly format: 'png' | 'webp'
}

async function shoot({ browser, url, to, size, scheme, format }: Shoot, pictures: readonly Picture[]): Promise<void> {
  const { width, height } = size
  const isPhone = size.name === 'phone'
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: scheme,
    reducedMotion: 'reduce',
    hasTouch: isPhone,
    isMobile: isPhone,
    locale: 'en-GB',
  })
  const page = await context.newPage()
  const headers = { origin: url, 'sec-fetch-site': 'same-origin' }
  let isIn = false
  for (const picture of pictures) {
    // Those that are logged out come first; each login is a line of the audit.
    if (picture.isLoggedOut !== true && !isIn) {
      await context.request.post(`${url}/login`, { headers, data: { token: tokenOf('ada') } })
      isIn = true
    }
    await page.goto('about:blank')
    await page.goto(`${url}/#${picture.path}`)
    await picture.prepare(page, { isPhone })
    await settle(page)
    const path = join(to, `${picture.name}-${size.name}-${scheme}.${format}`)
    await writeFile(path, await capture(page, format))
    console.log(path)
  }
  await context.close()
}

/** Playwright itself takes no WebP, which is a third of the size. */
async function capture(page: Page, format: Shoot['format']): Promise<Buffer> {
  const devtools = await page.context().newCDPSession(page)
  const options = format === 'webp' ? { format, quality: 82 } : { format }
  const { data } = await devtools.send('Page.captureScreenshot', options)
  await devtools.detach()
  return Buffer.from(data, 'base64')
}

/** Fonts are there, and two frames have been drawn with what was read. */
async function settle(page: Page): Promise<void> {
  await page.evaluate(`document.fonts.ready.then(() => new Promise((done) =>
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 350)))))`)
}

async function startWorld(): Promise<{ readonly url: string } & AsyncDisposable> {
  await using stack = new AsyncDisposableStack()
  const home = stack.use(await createTemporaryHome()).path
  const logger = createLogger({ level: 'fatal', pretty: true })
  const postgres = await startEmbeddedPostgres({ home, logger, clock: systemClock })
  stack.defer(() => postgres.stop())
  const example = stack.use(await startExample())
  await chmod(home, 0o711)
  await writeFile(configPath(home), withHashedTokens(storyConfig(example.config)), { mode: 0o600 })
  const app = await startApp({
    home,
    openDatabase: () => resolveDatabase(postgres.url, { home, logger, clock: systemClock }),
    databaseConnections: DEFAULT_CONNECTIONS,
    host: '127.0.0.1',
    port: 0,
    production: false,
    timing: STORY_TIMING,
    environment: example.environment,
    clock: systemClock,
    logger,
    logLines: new LogLines(),
    stopping: new AbortController().signal,
  })
  stack.defer(() => app.stop())
  const database = new Database({ url: postgres.url, maxConnections: 1, logger })
  stack.defer(() => database.close())
  await example.populate({ home, database, as: (person) => new ApiClient(app.url, tokenOf(person)) })
  const owned = stack.move()
  return { url: app.url, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

/** As `factotum token` writes them: one that stands there in clear is warned of. */
function withHashedTokens(toml: string): string {
  return toml.replaceAll(/^token = "(.+)"$/gm, (_line, token: string) => {
    return `sha256 = "${createHash('sha256').update(token).digest('hex')}"`
  })
}

await main()
