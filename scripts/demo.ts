/**
 * `npm run demo`: starts a real server on the embedded PostgreSQL and the rehearsal model, sends a message as a
 * frontend would, by the client library, and shows the turn live. Then it goes on serving, so that the console can
 * be opened and GraphiQL be tried; `--exit` ends it.
 *
 * Its home is `demo/` inside FACTOTUM_HOME, with a configuration and a token of its own, so it never touches a real
 * one.
 */
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs, styleText } from 'node:util'
import { startApp, type App } from '../src/app.ts'
import type { AppOptions } from '../src/app-options.ts'
import { connect } from '../packages/client/src/connect.ts'
import { writeFirstConfig } from '../src/config/first-start.ts'
import { newToken } from '../src/config/command-line/new-token.ts'
import { parseEnvironment } from '../src/config/schema/environment.ts'
import { sampleConfig } from '../src/config/sample-config.ts'
import { TIMING } from '../src/config/timing.ts'
import { LogLines } from '../src/platform/log-lines.ts'
import { createLogger } from '../src/platform/logger.ts'
import { systemClock } from '../src/platform/clock.ts'
import { randomHex } from '../src/platform/random.ts'
import { defaultHome, prepareHome } from '../src/config/home/factotum-home.ts'
import { unprivilegedAccount } from '../src/config/home/unprivileged-account.ts'
import { describeFailure } from '../src/describe-failure.ts'
import { forwarderOf, StopRequests } from '../src/stop-requests.ts'
import { resolveDatabase } from '../src/store/connection/resolve-database.ts'
import { describeEvent } from '../src/remote/describe-event.ts'

const MESSAGE = `run: echo "Hello from $(uname -s), it is $(date +%H:%M)."
run: for n in 1 2 3; do echo "step $n of 3"; sleep 0.4; done
What did these two commands print?`

const { values: flags } = parseArgs({
  options: { exit: { type: 'boolean', default: false }, port: { type: 'string' } },
})
const say = (text: string): void => console.log(text)
const bold = (text: string): string => styleText('bold', text)

say(bold('Factotum demo') + ': starting PostgreSQL and the server …')
const logLines = new LogLines()
const logger = createLogger({ level: process.env['LOG_LEVEL'] ?? 'warn', pretty: true, lines: logLines })
const forwarder = forwarderOf(process.env, process.ppid)
const stopping = new StopRequests({ forwarder, clock: systemClock, logger }).signal
const { home, token } = await prepareDemoHome().catch(explain)
const app = await startDemoApp(home).catch(explain)
if (stopping.aborted) await stopDemo()
stopping.addEventListener('abort', () => void stopDemo(), { once: true })
say(`Serving on ${app.url} with the built-in ${bold('rehearsal model')} (no language model, no key needed).\n`)

const sessionId = `cli:demo-${randomHex(3)}`
const client = connect({ url: app.url, token })
await showTurn()
client.close()

say(`\n${bold('That was a turn.')} Everything above is stored: it survives reloads, restarts and kill -9.`)
if (flags.exit) await stopDemo()
else {
  const link = await app.createLoginLink(null)
  say(`  Console   ${bold(link.url)}   (works once, for five minutes)`)
  say(`            What you have just seen is there, as the session ${sessionId}.`)
  say(`  GraphiQL  ${app.url}/graphql   with the header   {"Authorization": "Bearer ${token}"}`)
  say(`  Try       subscription { sessionEvents(sessionId: "${sessionId}", after: 0) { seq __typename } }`)
  say(`  Stop      Ctrl-C. For your own server: npm start (see README.md).`)
}

/** Ends the process. */
function explain(error: unknown): never {
  console.error(`factotum: ${describeFailure(error, { isVerbose: process.env['LOG_LEVEL'] === 'debug' })}`)
  process.exit(1)
}

/** The demo's own FACTOTUM_HOME, and the token that its configuration knows. */
async function prepareDemoHome(): Promise<{ home: string; token: string }> {
  const account = unprivilegedAccount()
  const outer = process.env['FACTOTUM_HOME'] ?? defaultHome({ cwd: process.cwd(), account })
  prepareHome({ home: outer, account })
  const home = prepareHome({ home: join(outer, 'demo'), account })
  const tokenPath = join(home, 'token')
  const known = await readFile(tokenPath, 'utf8').catch(() => null)
  if (known !== null) {
    await writeFirstConfig(join(home, 'config.toml'))
    return { home, token: known }
  }
  const { token, sha256 } = newToken()
  await writeFile(join(home, 'config.toml'), sampleConfig(sha256), { mode: 0o600 })
  await writeFile(tokenPath, token, { mode: 0o600 })
  await chmod(tokenPath, 0o600)
  return { home, token }
}

/** On the port that `--port` or PORT names; else on 4000 if it is free, or on any. */
async function startDemoApp(home: string): Promise<App> {
  const { databaseUrl, databaseConnections, port } = parseEnvironment(process.env, flags)
  const openDatabase: AppOptions['openDatabase'] = () =>
    resolveDatabase(databaseUrl, { home, logger, clock: systemClock })
  const place = {
    home,
    openDatabase,
    databaseConnections,
    host: '127.0.0.1',
    environment: process.env,
    production: false,
  }
  const options = { ...place, timing: TIMING, clock: systemClock, logger, logLines, stopping }
  const isWanted = flags.port !== undefined || (process.env['PORT'] ?? '') !== ''
  try {
    return await startApp({ ...options, port })
  } catch (error) {
    if ((error as { code?: string }).code !== 'ADDRESS_UNAVAILABLE' || isWanted) throw error
    return startApp({ ...options, port: 0 })
  }
}

/** Sends the message, which opens the session, and prints the session's events until its turn is complete. */
async function showTurn(): Promise<void> {
  const session = client.session(sessionId)
  const sent = await session.send(MESSAGE)
  if (sent.__typename !== 'SendMessagePayload') throw new Error(`the server refused: ${sent.problem}`)
  for await (const event of session.events({ after: 0 })) {
    const text = describeEvent(event)
    if (text !== null) say(text)
    if (event.__typename === 'TurnCompletedEvent') return
  }
}

async function stopDemo(): Promise<void> {
  say('Stopping …')
  await app.stop()
  process.exit(0)
}
