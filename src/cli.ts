/**
 * The process, once `bin/factotum.js` has found a Node that reads this: takes the command line and the environment,
 * starts the app, stops it when asked. Exit codes: 0 stopped as asked, 1 could not start or a bug, 2 wrong usage.
 *
 * What is large is imported when it is needed, after the code cache is there: `--help` answers at once.
 */
import { existsSync } from 'node:fs'
import { enableCompileCache, flushCompileCache } from 'node:module'
import { join } from 'node:path'
import type { App } from './app.ts'
import type { ApiKeys } from './config/access/api-keys.ts'
import { addToken } from './config/command-line/add-token.ts'
import type { AuditAction } from './config/command-line/audit-action.ts'
import { parseCommandLine, type Action } from './config/command-line/command-line.ts'
import { parseEnvironment, type Environment, type Flags } from './config/schema/environment.ts'
import { writeFirstConfig } from './config/first-start.ts'
import { helpText } from './config/command-line/help-text.ts'
import { Progress } from './config/command-line/progress.ts'
import { PublicUrl } from './config/public-url.ts'
import { completionScript } from './config/command-line/completion.ts'
import { declareCommands } from './config/command-line/declare-commands.ts'
import { configPath, loadConfig } from './config/load-config.ts'
import { describeNewToken, newToken } from './config/command-line/new-token.ts'
import type { PluginAction } from './config/command-line/plugin-action.ts'
import type { RetentionAction } from './config/command-line/retention-action.ts'
import type { SessionAction } from './config/command-line/session-action.ts'
import type { SkillAction } from './config/command-line/skill-action.ts'
import type { TokenAction } from './config/command-line/token-action.ts'
import { TIMING } from './config/timing.ts'
import { AppError, messageOf } from './core/errors.ts'
import { describeFailure } from './describe-failure.ts'
import { REHEARSAL_GRAMMAR } from './model/rehearsal/rehearsal-grammar.ts'
import { systemClock } from './platform/clock.ts'
import { confirm } from './platform/confirm.ts'
import { CODE_CACHE } from './platform/code-cache.ts'
import { LogLines } from './platform/log-lines.ts'
import { createLogger, type Logger } from './platform/logger.ts'
import { hasCode } from './platform/error-code.ts'
import { commitOfBuild } from './platform/commit-of-build.ts'
import { VERSION } from './platform/version.ts'
import { DeployVariables } from './secrets/deploy-variables.ts'
import { forwarderOf, StopRequests } from './stop-requests.ts'
import { defaultHome, homeOfWorkspace, prepareHome } from './config/home/factotum-home.ts'
import type { Finding } from './terminal/checks/finding.ts'
import { resolveDatabase, type ResolvedDatabase } from './store/connection/resolve-database.ts'
import { addressOf } from './config/home/listening-file.ts'
import { unprivilegedAccount } from './config/home/unprivileged-account.ts'

enableCompileCache(CODE_CACHE)
let isReaderGone = false
try {
  await main()
} catch (error) {
  const isVerbose = ['debug', 'trace'].includes(process.env['LOG_LEVEL'] ?? '')
  const isOfReader = isReaderGone && hasCode(error instanceof AppError ? error.cause : error, 'EPIPE')
  if (!isOfReader) console.error(`factotum: ${describeFailure(error, { isVerbose })}`)
  process.exitCode = isOfReader ? 0 : 1
}

async function main(): Promise<void> {
  const action = parseCommandLine(process.argv.slice(2))
  leaveWithReader(action)
  switch (action.kind) {
    case 'serve':
      return serve(action)
    case 'check-config':
      return checkConfig(action.flags)
    case 'token':
      return makeToken(action.action, action.flags)
    case 'skill':
      return manageSkills(action.action, action.flags)
    case 'plugin':
      return managePlugins(action.action, action.flags)
    case 'audit':
      return verifyAudit(action.action, action.flags)
    case 'backup':
      return copyDatabase(action)
    case 'retention':
      return countOld(action.action, action.flags)
    case 'session':
      return moveSession(action.action, action.flags)
    case 'doctor':
      return doctor(action)
    case 'login':
      return printLoginLink(action)
    case 'models-check':
      return checkModelsOnce(action)
    case 'remote':
      return talkToServer(action)
    case 'completion':
      return console.log(
        completionScript(
          action.shell,
          declareCommands(() => {}),
        ),
      )
    case 'help':
      return console.log(action.text ?? helpText({ rehearsalGrammar: REHEARSAL_GRAMMAR }))
    case 'version':
      return console.log(`factotum ${VERSION} (${(await commitOfBuild()) ?? 'of no known commit'})`)
    case 'misuse':
      console.error(`factotum: ${action.message}`)
      process.exitCode = 2
  }
}

/** What is set, also by `.env` of the home, and the home. */
interface CommandSurroundings {
  readonly environment: Environment
  readonly home: string
}

/** The server's own. */
function placeOfServer(flags: Flags): CommandSurroundings {
  return completePlace(flags, (environment) => environment.home)
}

/** For commands that manage a server: from inside one of its workspaces, that one's. */
function placeToManage(flags: Flags): CommandSurroundings {
  return completePlace(flags, (environment) => environment.home ?? homeOfWorkspace(process.cwd()))
}

function completePlace(flags: Flags, find: (environment: Environment) => string | null): CommandSurroundings {
  const account = unprivilegedAccount()
  const wanted = find(parseEnvironment(process.env, flags)) ?? defaultHome({ cwd: process.cwd(), account })
  const home = prepareHome({ home: wanted, account })
  const { path, lines, problem } = new DeployVariables({ home, env: process.env, logger: silentLogger() })
  // DATABASE_URL may stand in it: without it, another database would be used.
  if (problem !== null) throw new AppError('CONFIG_INVALID', `${path} cannot be read: ${problem}`)
  // The exporters of OpenTelemetry read the environment of the process themselves.
  for (const [name, value] of lines) if (name.startsWith('OTEL_')) process.env[name] ||= value
  return { environment: parseEnvironment(process.env, flags, { path, lines }), home }
}

function silentLogger(): Logger {
  return createLogger({ level: 'silent', pretty: false })
}

async function checkConfig(flags: Flags): Promise<void> {
  const { environment, home } = placeToManage(flags)
  const path = configPath(home)
  const { warnings } = await loadConfig(path, environment)
  for (const warning of warnings) console.error(`factotum: ${warning}`)
  console.log(`${path} is valid.`)
}

async function makeToken(action: TokenAction, flags: Flags): Promise<void> {
  if (action.print) return console.log(describeNewToken(newToken(), action))
  const { environment, home } = placeToManage(flags)
  const path = configPath(home)
  const { name, user, token } = await addToken(path, action, { ...environment, clock: systemClock })
  const whose = user === null ? 'for a connector' : `of the user "${user}"`
  console.log(`Token "${name}" ${whose}, shown only this once:\n\n  ${token}\n`)
  console.log(`It stands in ${path}, as a hash; a running server lets it in within a second.`)
}

async function manageSkills(action: SkillAction, flags: Flags): Promise<void> {
  const { home } = placeToManage(flags)
  const logger = silentLogger()
  const variables = new DeployVariables({ home, env: process.env, logger })
  const { stdin: input, stdout: output } = process
  const { runSkillCommand } = await import('./execution/skills/skill-command.ts')
  return runSkillCommand(action, {
    home,
    cwd: process.cwd(),
    environment: process.env,
    secretOf: (variable) => variables.get(variable),
    progress: progressOfCommand(),
    input,
    output,
    isInteractive: input.isTTY && output.isTTY,
  })
}

async function managePlugins(action: PluginAction, flags: Flags): Promise<void> {
  const { environment, home } = placeToManage(flags)
  const { config } = await loadConfig(configPath(home), environment)
  const packages = config.pluginPackages
  const { stdin: input, stdout: output } = process
  const { runPluginCommand } = await import('./plugins/command/plugin-command.ts')
  const ask = (question: string): Promise<boolean> => confirm(question, { input, output })
  const print = (line: string): void => console.log(line)
  const isInteractive = input.isTTY && output.isTTY
  const people = { print, progress: progressOfCommand(), confirm: isInteractive ? ask : null }
  await runPluginCommand(action, { home, cwd: process.cwd(), packages, ...people })
}

async function doctor({ flags, callsModels, json }: Extract<Action, { kind: 'doctor' }>): Promise<void> {
  const { examine, findPlace } = await import('./terminal/doctor.ts')
  const place = findPlace(() => placeToManage(flags))
  if ('verdict' in place) return report([place], json)
  const known = { ...place, env: process.env, clock: systemClock, logger: silentLogger() }
  await report(await examine({ ...known, keys: keysOf(place.home), callsModels }), json)
}

async function checkModelsOnce({ flags, json }: Extract<Action, { kind: 'models-check' }>): Promise<void> {
  const { environment, home } = placeToManage(flags)
  const { config } = await loadConfig(configPath(home), environment)
  const { checkModels } = await import('./terminal/checks/check-models.ts')
  const known = { config, proxyEnv: process.env, clock: systemClock, logger: silentLogger() }
  await report(await checkModels({ ...known, keys: keysOf(home) }), json)
}

function keysOf(home: string): ApiKeys {
  const variables = new DeployVariables({ home, env: process.env, logger: silentLogger() })
  return { apiKey: (name) => variables.get(name) }
}

async function report(findings: readonly Finding[], json: boolean): Promise<void> {
  const { describeFindings, exitCodeOf } = await import('./terminal/doctor.ts')
  console.log(json ? JSON.stringify(findings, null, 2) : describeFindings(findings))
  process.exitCode = exitCodeOf(findings)
}

async function printLoginLink({ flags, user }: Extract<Action, { kind: 'login' }>): Promise<void> {
  const { environment, home } = placeToManage(flags)
  const { config } = await loadConfig(configPath(home), environment)
  const address = new PublicUrl({ current: () => config })
  const listening = await addressOf({ home, environment, env: process.env })
  if (listening === null)
    throw new AppError(
      'CONFIG_INVALID',
      'PORT is 0, any free one, and no server of this home has run yet: start it first.',
    )
  address.listensAt(listening)
  return useDatabase('database', flags, async (databaseUrl) => {
    const { loginCommand } = await import('./people/login-command.ts')
    const print = (line: string): void => console.log(line)
    await loginCommand({ databaseUrl, address: address.linkTo(''), user, clock: systemClock, print })
  })
}

async function talkToServer({ action, flags }: Extract<Action, { kind: 'remote' }>): Promise<void> {
  const { findServer } = await import('./remote/find-server.ts')
  const { runRemote } = await import('./remote/run-remote.ts')
  const local = (): CommandSurroundings => placeToManage(flags.home === undefined ? {} : { home: flags.home })
  const { url, token, notice } = await findServer({ flags, env: process.env, local, clock: systemClock })
  if (notice !== null) console.error(`factotum: ${notice}`)
  const { stdin: input, stdout: output, stderr: errors } = process
  const terminal = { input, output, errors, isInteractive: input.isTTY && output.isTTY }
  const server = { url, token, isNewToken: notice !== null, clock: systemClock }
  process.exitCode = await runRemote(action, { ...server, terminal, takeInterrupts })
}

/** The next interrupt aborts the signal; the one after it ends the process, as without this. */
function takeInterrupts(): AbortSignal {
  const interrupted = new AbortController()
  process.once('SIGINT', () => interrupted.abort())
  return interrupted.signal
}

function verifyAudit({ day, kept }: AuditAction, flags: Flags): Promise<void> {
  return useDatabase('audit', flags, async (databaseUrl) => {
    const { verifyAuditCommand } = await import('./audit/audit-command.ts')
    const print = (line: string): void => console.log(line)
    const isIntact = await verifyAuditCommand({ databaseUrl, day, kept, print })
    if (!isIntact) process.exitCode = 1
  })
}

function moveSession(action: SessionAction, flags: Flags): Promise<void> {
  const { stdin: input, stdout: output } = process
  // Standard output may be the export.
  const print = (line: string): void => console.error(line)
  return useDatabase('session', flags, async (databaseUrl, { logger }) => {
    const { runSessionCommand } = await import('./transfer/session-command.ts')
    await runSessionCommand(action, { databaseUrl, clock: systemClock, logger, input, output, print })
  })
}

function copyDatabase({ action, flags }: Extract<Action, { kind: 'backup' }>): Promise<void> {
  const print = (line: string): void => console.error(line)
  const work: DatabaseWork = async (databaseUrl, { home, logger }) => {
    const { runBackupCommand } = await import('./transfer/backup/backup-command.ts')
    await runBackupCommand(action, { databaseUrl, home, clock: systemClock, logger, print })
  }
  return action.do === 'restore' ? withDatabase(flags, work) : useDatabase('database', flags, work)
}

function countOld(action: RetentionAction, flags: Flags): Promise<void> {
  return useDatabase('database', flags, async (databaseUrl, { home, logger }) => {
    const { config } = await loadConfig(configPath(home), placeToManage(flags).environment)
    const { countOld } = await import('./retention/retention-command.ts')
    const print = (line: string): void => console.log(line)
    await countOld(action, { databaseUrl, home, config, clock: systemClock, logger, print })
  })
}

function progressOfCommand(): Progress {
  return new Progress({ clock: systemClock, print: (line) => console.error(line) })
}

type DatabaseWork = (databaseUrl: string, place: { readonly home: string; readonly logger: Logger }) => Promise<void>

/** Uses the embedded PostgreSQL of a server that runs, or starts it for as long as this takes; one that is filled. */
async function useDatabase(what: string, flags: Flags, work: DatabaseWork): Promise<void> {
  const { environment, home } = placeToManage(flags)
  if (environment.databaseUrl === null && !existsSync(join(home, 'pg'))) {
    console.error(
      `factotum: there is no ${what} in ${home}. Name the server's folder with --home, or its DATABASE_URL.`,
    )
    process.exitCode = 2
    return
  }
  return withDatabase(flags, async (databaseUrl, place) => {
    const { refuseWithoutTables } = await import('./store/connection/migrate.ts')
    await refuseWithoutTables(databaseUrl)
    await work(databaseUrl, place)
  })
}

/** The same, also where there is none yet. */
async function withDatabase(flags: Flags, work: DatabaseWork): Promise<void> {
  const { environment, home } = placeToManage(flags)
  const logger = silentLogger()
  const database = await progressOfCommand().during('the embedded PostgreSQL starts', () =>
    resolveDatabase(environment.databaseUrl, { home, logger, clock: systemClock }),
  )
  try {
    await work(database.url, { home, logger })
  } finally {
    await database.stop()
  }
}

async function serve({ flags, paused }: Extract<Action, { kind: 'serve' }>): Promise<void> {
  const { environment, home } = placeOfServer(flags)
  const logLines = new LogLines()
  const pretty = process.stdout.isTTY && !environment.production
  const origin = { pid: process.pid, version: VERSION }
  const logger = createLogger({ level: environment.logLevel, pretty, lines: logLines, process: origin, batched: true })
  endAtBugs(logger)
  const forwarder = forwarderOf(process.env, process.ppid)
  using requests = new StopRequests({ forwarder, clock: systemClock, logger })
  const stopping = requests.signal
  const first = await writeFirstConfig(configPath(home))
  if (first !== null) sayToken(first.token, configPath(home))
  const openDatabase = (onLaunched = (): void => undefined): Promise<ResolvedDatabase> =>
    resolveDatabase(environment.databaseUrl, { home, logger, clock: systemClock, onLaunched })
  // One whose files are still to be made waits: what is wrong with the configuration is said before.
  const early = existsSync(join(home, 'pg')) ? await launch(openDatabase) : null
  const options = {
    ...environment,
    home,
    environment: process.env,
    timing: TIMING,
    clock: systemClock,
    logger,
    logLines,
    stopping,
    paused,
    openDatabase: () => early?.ready ?? openDatabase(),
  }
  const starting = import('./app.ts').then(({ startApp }) => startApp(options))
  const app = await starting.catch(async (error: unknown) => {
    await early?.ready.then((database) => database.stop()).catch(() => undefined) // it is the first error that helps
    if (stopping.aborted) return null
    throw error
  })
  if (app !== null) {
    // Node writes it when the process ends, which one that is killed never does: every start would compile anew.
    flushCompileCache()
    if (first !== null) await sayLoginLink(app)
    process.on('SIGHUP', () => void app.reloadConfig())
    await untilAborted(stopping)
    leaveAfter(app, logger)
    await app.stop().catch((error: unknown) => {
      logger.error({ err: error }, 'stopping failed; leaving with exit code 1')
      process.exit(1)
    })
    logger.info('stopped')
  }
  process.exit(0)
}

/** A database that is silent keeps its connections, and so what closes them, for as long as it is. */
function leaveAfter(app: App, logger: Logger): void {
  const ms = app.longestStopMs()
  systemClock.after(ms, () => {
    logger.error(
      { ms, part: app.stoppingPart() },
      'the server did not stop in time: leaving at once; running turns will be continued',
    )
    process.exit(1)
  })
}

interface Launched {
  readonly ready: Promise<ResolvedDatabase>
}

/**
 * Resolves as soon as the embedded PostgreSQL is launched, or needs not be, or cannot be (`ready` says why): it becomes
 * ready while the code of the server is loaded, and to load code leaves no moment to launch it in.
 */
function launch(open: (onLaunched: () => void) => Promise<ResolvedDatabase>): Promise<Launched> {
  return new Promise((resolve) => {
    const onLaunched = (): void => resolve({ ready })
    const ready = open(onLaunched)
    ready.then(onLaunched, onLaunched)
  })
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/**
 * Once, before anything else can fail: it is stored nowhere. And not through the log: logs are kept and shipped, and a
 * token must not be.
 */
function sayToken(token: string, path: string): void {
  console.log(`
First start: ${path} was written, with the user "admin" and this token, which is shown only now
("factotum token" makes another one):

  ${token}

It is for programs, and for GraphiQL (at /graphql of the address below).
`)
}

/** Not through the log, as the token. Who misses it prints another one: "factotum login". */
async function sayLoginLink(app: App): Promise<void> {
  const { describeLoginLink } = await import('./people/login-command.ts')
  console.log(`\n${describeLoginLink(await app.createLoginLink(null))}\n`)
}

/**
 * `factotum … | head -1`: a reader that has read enough is no failure. What follows a server ends at once; what uses
 * the database ends by its own way, which stops the embedded one. A server goes on.
 */
function leaveWithReader({ kind }: Action): void {
  if (kind === 'serve') return
  process.stdout.on('error', (error: unknown) => {
    if (!hasCode(error, 'EPIPE')) throw error
    isReaderGone = true
    if (kind === 'remote') process.exit(0)
  })
}

/** State is in the database: after an unhandled error, a fresh process is safer than this one. */
function endAtBugs(logger: Logger): void {
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => {
      logger.fatal({ err: error }, `${event}: ${messageOf(error)}`)
      process.exit(1)
    })
  }
}
