/**
 * `npm run test:examples`: the examples that are packages of their own, as their pages say: installed from the registry
 * and from a server that runs, built, started, and used in Chromium: a text that is streamed, an approval; and a plugin
 * that is a model. Takes minutes. `--only <name>` chooses one.
 */
import assert from 'node:assert/strict'
import { execFileSync, spawn, type ChildProcess, type ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, chmodSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { Locator, Page } from 'playwright-core'
import { launchBrowser } from '../test/harness/chromium.ts'

interface Example {
  readonly name: string
  /** The variable that names the server. */
  readonly url: string
  /** What `npm run` starts, on a port that is put behind it. */
  readonly start: string
  readonly compose: (page: Page) => Composer
}

/** Where a message is written, what sends it, and what is there while the agent is busy. */
interface Composer {
  readonly text: Locator
  readonly send: Locator
  readonly stop: Locator
}

const ownForm: Example['compose'] = (page) => ({
  text: page.getByLabel('Message'),
  send: page.getByRole('button', { name: 'Send' }),
  stop: page.getByRole('button', { name: 'Stop' }),
})

const EXAMPLES: readonly Example[] = [
  { name: 'react-chat', url: 'VITE_FACTOTUM_URL', start: 'dev', compose: ownForm },
  { name: 'next-ai-sdk', url: 'NEXT_PUBLIC_FACTOTUM_URL', start: 'start', compose: ownForm },
  {
    name: 'copilotkit',
    url: 'VITE_FACTOTUM_URL',
    start: 'dev',
    compose: (page) => ({
      text: page.getByTestId('copilot-chat-textarea'),
      send: page.getByTestId('copilot-send-button'),
      stop: page.getByTestId('copilot-send-button').locator('.lucide-square'),
    }),
  },
]

/** Below examples/plugins. */
const AGENT = 'subprocess-agent'

const PAGE_WITHIN_MS = 240_000

const PIECE = 'A long question.'
const PIECES = 80
/** The answer quotes it, piece by piece. */
const LONG = `${PIECE} `.repeat(PIECES).trim()
/** The user who decides about what they have asked for themselves, so that one page shows all of it. */
const RULES = '\n[approvals]\nown_user_may_decide = true\n[[approvals.rules]]\neffect = "require"\ncommand = "tee"\n'

const root = fileURLToPath(new URL('..', import.meta.url))
const { only } = parseArgs({ options: { only: { type: 'string' } } }).values
const folder = mkdtempSync(join(tmpdir(), 'factotum-examples-'))
chmodSync(folder, 0o711)
const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1' }
const started: ChildProcess[] = []
try {
  const server = await startServer()
  if (only === undefined || only === AGENT) await tryAgent(server)
  for (const example of EXAMPLES.filter(({ name }) => only === undefined || name === only))
    await tryOut(example, server)
} finally {
  const running = started.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)
  const ended = running.map((child) => once(child, 'exit'))
  for (const { pid } of running) if (pid !== undefined) process.kill(-pid)
  await Promise.all(ended)
  rmSync(folder, { recursive: true, force: true })
}

interface RunningServer {
  readonly url: string
  readonly token: string
}

async function startServer(): Promise<RunningServer> {
  const program = join(root, 'bin/factotum.js')
  const own = { ...env, FACTOTUM_HOME: join(folder, 'home'), PORT: '0' }
  const server = start(process.execPath, [program], { cwd: folder, env: own })
  let token = ''
  let url = ''
  for await (const line of createInterface(server.stdout)) {
    token ||= /fct_[0-9a-f]{64}/.exec(line)?.[0] ?? ''
    url ||= /"url":"([^"]+)".*factotum is ready/.exec(line)?.[1] ?? ''
    if (line.includes('factotum is ready')) appendFileSync(join(own.FACTOTUM_HOME, 'config.toml'), RULES)
    if (!line.includes('configuration reloaded')) continue
    server.stdout.resume()
    return { url, token }
  }
  throw new Error('the server did not start')
}

/** `examples/plugins/subprocess-agent`, as its page says: installed, enabled, and talked with. */
async function tryAgent({ url, token }: RunningServer): Promise<void> {
  const began = Date.now()
  const program = join(root, 'bin/factotum.js')
  const own = { ...env, FACTOTUM_HOME: join(folder, 'home') }
  const example = join(root, 'examples/plugins', AGENT)
  execFileSync(process.execPath, [program, 'plugin', 'install', example, '--yes'], { cwd: folder, env: own })
  const ask = async (query: string): Promise<Readonly<Record<string, never>>> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const response = await fetch(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) })
    const { data } = (await response.json()) as { readonly data: Readonly<Record<string, never>> }
    return data
  }
  const until = async (query: string, wanted: RegExp): Promise<void> => {
    let seen = ''
    for (let polls = 0; polls < 240 && !wanted.test(seen); polls += 1) {
      seen = JSON.stringify(await ask(query))
      await pause(250)
    }
    assert.match(seen, wanted)
  }
  await until(`{ plugin(name: "${AGENT}") { status } }`, /DISABLED/)
  await ask(`mutation { updatePlugin(input: { name: "${AGENT}", enabled: true, version: 1 }) { __typename } }`)
  await until(`{ plugin(name: "${AGENT}") { status } }`, /READY/)
  const model = `${AGENT}/agent:toy`
  await ask(`mutation { openSession(input: { id: "web:agent", mode: CHAT, model: "${model}" }) { __typename } }`)
  const answers = `{ session(id: "web:agent") { tasks { edges { node { type status output } } } } }`
  for (const [content, wanted] of [
    ['count 3', /"1 2 3"/],
    ['run echo of the agent', /The command came to this/],
    ['Hello', /toy heard 3: count 3 \| run echo of the agent \| Hello/],
  ] as const) {
    await ask(`mutation { sendMessage(input: { sessionId: "web:agent", content: "${content}" }) { __typename } }`)
    await until(answers, wanted)
  }
  console.log(`${AGENT}: installed, enabled and used in ${Math.round((Date.now() - began) / 1000)} s`)
}

async function tryOut(example: Example, server: RunningServer): Promise<void> {
  const began = Date.now()
  const cwd = join(folder, example.name)
  cpSync(join(root, 'examples', example.name), cwd, { recursive: true })
  const manifest = join(cwd, 'package.json')
  writeFileSync(manifest, readFileSync(manifest, 'utf8').replace('http://127.0.0.1:4000', server.url))
  const names = { ...env, [example.url]: server.url }
  const npm = (...args: readonly string[]): void =>
    void execFileSync('npm', args, { cwd, env: names, stdio: 'inherit' })
  npm('install', '--no-audit', '--no-fund')
  npm('run', 'build')
  const port = await freePort()
  start('npm', ['run', example.start, '--', '--port', String(port)], { cwd, env: names })
  await use(`http://127.0.0.1:${port}/`, { token: server.token, example })
  console.log(`${example.name}: installed, built, started and used in ${Math.round((Date.now() - began) / 1000)} s`)
}

interface StartOptions {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
}

/** In a group of its own, which is ended as a whole. */
function start(
  file: string,
  args: readonly string[],
  { cwd, env: own }: StartOptions,
): ChildProcessByStdio<null, Readable, null> {
  const child = spawn(file, args, { cwd, env: own, stdio: ['ignore', 'pipe', 'inherit'], detached: true })
  started.push(child)
  child.stdout.resume()
  return child
}

async function freePort(): Promise<number> {
  const listening = createServer().listen(0, '127.0.0.1')
  await once(listening, 'listening')
  const address = listening.address()
  listening.close()
  await once(listening, 'close')
  return typeof address === 'object' && address !== null ? address.port : assert.fail('it listens')
}

async function use(url: string, { token, example }: { readonly token: string; readonly example: Example }) {
  const browser = await launchBrowser()
  try {
    const page = await browser.newPage()
    // Before it serves a page the first time, Vite bundles what that imports: of CopilotKit, half a minute and more.
    page.setDefaultTimeout(PAGE_WITHIN_MS)
    const complaints: string[] = []
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('request', (request) => complaints.push(...strangersIn(request.url())))
    await open(page, url)
    await enter(page, token)
    const say = async (text: string): Promise<void> => {
      const { stop, text: field, send } = example.compose(page)
      await stop.waitFor({ state: 'detached' })
      await field.fill(text)
      await send.click()
    }
    await seeStreaming(page, say)
    await say('run: echo $((6 * 7)) is it | tee out.txt')
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.getByText('42 is it').first().waitFor()
    if (example.compose === ownForm) {
      await page.reload()
      await enter(page, token)
      await page.getByText('42 is it').first().waitFor()
    }
    assert.deepEqual(complaints, [])
  } finally {
    await browser.close()
  }
}

async function enter(page: Page, token: string): Promise<void> {
  await page.getByLabel('Token').fill(token)
  await page.getByRole('button', { name: 'Enter' }).click()
}

/** A browser that is busy may show a whole text at once; not each of several. */
async function seeStreaming(page: Page, say: (text: string) => Promise<void>): Promise<void> {
  const quoted = await watchQuotations(page)
  const hasStreamed = async (): Promise<boolean> => (await quoted()).some((count) => count % PIECES !== 0)
  for (let asked = 1; asked < 9 && !(await hasStreamed()); asked += 1) {
    await say(LONG)
    const isThere = ({ text, times }: { readonly text: string; readonly times: number }): boolean =>
      document.body.textContent.split(text).length > times
    await page.waitForFunction(isThere, { text: LONG, times: 2 * asked })
  }
  assert.ok(await hasStreamed(), 'no text was streamed')
}

/** Notes from now on how much the page shows of messages and quotations of them as it grows: pieces. */
async function watchQuotations(page: Page): Promise<() => Promise<number[]>> {
  await page.evaluate((piece) => {
    const noted = Object.assign(globalThis, { quoted: new Set<number>() })
    const note = (): void => void noted.quoted.add(document.body.textContent.split(piece).length - 1)
    new MutationObserver(note).observe(document.body, { childList: true, characterData: true, subtree: true })
  }, PIECE)
  return () => page.evaluate(() => [...(globalThis as unknown as { quoted: Set<number> }).quoted])
}

/** An example works without anybody else. */
function strangersIn(url: string): string[] {
  const { hostname, protocol } = new URL(url)
  return hostname === '127.0.0.1' || protocol === 'data:' || protocol === 'blob:' ? [] : [`asked another host: ${url}`]
}

/** As soon as something listens there. */
async function open(page: Page, url: string): Promise<void> {
  for (let attempts = 0; attempts < 240; attempts += 1) {
    if (
      await fetch(url).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      break
    await pause(250)
  }
  await page.goto(url)
}
