#!/usr/bin/env node
/**
 * The process: reads the command line and the environment, starts the app, stops it on signals. The only place that touches
 * `process`. Exit codes: 0 stopped as asked, 1 could not start or a bug, 2 wrong usage.
 *
 * What is large is imported when it is needed, after the code cache is there: `--help` answers at once.
 */
import { existsSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import type { App } from './app.ts'
import type { AuditAction } from './config/audit-action.ts'
import { parseCommandLine } from './config/command-line.ts'
import { parseEnvironment, type Environment, type Flags } from './config/environment.ts'
import { writeFirstConfig } from './config/first-start.ts'
import { helpText } from './config/help-text.ts'
import { configPath, loadConfig } from './config/load-config.ts'
import { describeNewToken, newToken } from './config/new-token.ts'
import type { SessionAction } from './config/session-action.ts'
import type { SkillAction } from './config/skill-action.ts'
import { AppError, messageOf } from './core/errors.ts'
import { REHEARSAL_GRAMMAR } from './model/rehearsal-grammar.ts'
import { systemClock } from './platform/clock.ts'
import { CODE_CACHE } from './platform/code-cache.ts'
import { LogLines } from './platform/log-lines.ts'
import { createLogger, type Logger } from './platform/logger.ts'
import { VERSION } from './platform/version.ts'
import { DeployVariables } from './secrets/deploy-variables.ts'
import { defaultHome, homeOfWorkspace, prepareHome } from './store/factotum-home.ts'
import { resolveDatabase } from './store/resolve-database.ts'
import { unprivilegedAccount } from './store/unprivileged-account.ts'

enableCompileCache(CODE_CACHE)
try {
  await main()
} catch (error) {
  // What is expected to go wrong says what to change; anything else is a bug and shows where.
  console.error(error instanceof AppError ? `factotum: ${error.message}` : error)
  process.exitCode = 1
}

async function main(): Promise<void> {
  const action = parseCommandLine(process.argv.slice(2))
  switch (action.kind) {
    case 'serve':
      return serve(parseEnvironment(process.env, action.flags))
    case 'check-config':
      return checkConfig(action.flags)
    case 'token':
      return console.log(describeNewToken(newToken()))
    case 'skill':
      return manageSkills(action.action, action.flags)
    case 'audit':
      return verifyAudit(action.action, action.flags)
    case 'session':
      return moveSession(action.action, action.flags)
    case 'help':
      return console.log(helpText({ rehearsalGrammar: REHEARSAL_GRAMMAR }))
    case 'version':
      return console.log(`factotum ${VERSION}`)
    case 'misuse':
      console.error(`factotum: ${action.message}`)
      process.exitCode = 2
  }
}

function homeOf(environment: Environment): string {
  const account = unprivilegedAccount()
  return prepareHome({ home: environment.home ?? defaultHome({ cwd: process.cwd(), account }), account })
}

/** For commands that manage a server: from inside one of its workspaces, that one. */
function homeToManage(environment: Environment): string {
  return homeOf({ ...environment, home: environment.home ?? homeOfWorkspace(process.cwd()) })
}

async function checkConfig(flags: Flags): Promise<void> {
  const environment = parseEnvironment(process.env, flags)
  const path = configPath(homeToManage(environment))
  const { warnings } = await loadConfig(path, environment)
  for (const warning of warnings) console.error(`factotum: ${warning}`)
  console.log(`${path} is valid.`)
}

async function manageSkills(action: SkillAction, flags: Flags): Promise<void> {
  const home = homeToManage(parseEnvironment(process.env, flags))
  const logger = createLogger({ level: 'silent', pretty: false })
  const variables = new DeployVariables({ home, env: process.env, logger })
  const { stdin: input, stdout: output } = process
  const { runSkillCommand } = await import('./execution/skills/skill-command.ts')
  return runSkillCommand(action, {
    home,
    cwd: process.cwd(),
    environment: process.env,
    secretOf: (variable) => variables.get(variable),
    input,
    output,
    isInteractive: input.isTTY && output.isTTY,
  })
}

function verifyAudit({ day }: AuditAction, flags: Flags): Promise<void> {
  return useDatabase('audit', flags, async (databaseUrl) => {
    const { verifyAuditCommand } = await import('./audit/audit-command.ts')
    const print = (line: string): void => console.log(line)
    const isIntact = await verifyAuditCommand({ databaseUrl, day, print })
    if (!isIntact) process.exitCode = 1
  })
}

function moveSession(action: SessionAction, flags: Flags): Promise<void> {
  const { stdin: input, stdout: output } = process
  // Standard output may be the export.
  const print = (line: string): void => console.error(line)
  return useDatabase('session', flags, async (databaseUrl, logger) => {
    const { runSessionCommand } = await import('./transfer/session-command.ts')
    await runSessionCommand(action, { databaseUrl, clock: systemClock, logger, input, output, print })
  })
}

/** Uses the embedded PostgreSQL of a server that runs, or starts it for as long as this takes. */
async function useDatabase(
  what: string,
  flags: Flags,
  work: (databaseUrl: string, logger: Logger) => Promise<void>,
): Promise<void> {
  const environment = parseEnvironment(process.env, flags)
  const home = homeToManage(environment)
  if (environment.databaseUrl === null && !existsSync(join(home, 'pg'))) {
    console.error(
      `factotum: there is no ${what} in ${home}. Name the server's folder with --home, or its DATABASE_URL.`,
    )
    process.exitCode = 2
    return
  }
  const logger = createLogger({ level: 'silent', pretty: false })
  const database = await resolveDatabase(environment.databaseUrl, { home, logger, clock: systemClock })
  try {
    await work(database.url, logger)
  } finally {
    await database.stop()
  }
}

async function serve(environment: Environment): Promise<void> {
  const logLines = new LogLines()
  const pretty = process.stdout.isTTY && !environment.production
  const logger = createLogger({ level: environment.logLevel, pretty, lines: logLines })
  const home = homeOf(environment)
  const first = await writeFirstConfig(configPath(home))
  const { startApp } = await import('./app.ts')
  const app = await startApp({ ...environment, home, environment: process.env, clock: systemClock, logger, logLines })
  if (first !== null) sayToken(first.token, app, configPath(home))
  handleSignals(app, logger)
}

/** Once, and not through the log: logs are kept and shipped, and a token must not be. */
function sayToken(token: string, app: App, path: string): void {
  console.log(`
First start: ${path} was written, with the user "admin" and this token, which is shown only now:

  ${token}

GraphiQL: ${app.url}/graphql with the header {"Authorization": "Bearer ${token}"}
`)
}

function handleSignals(app: App, logger: Logger): void {
  let stopping = false
  const stop = (signal: NodeJS.Signals): void => {
    if (stopping) {
      logger.warn({ signal }, 'second signal: leaving at once; running turns will be continued')
      process.exit(1)
    }
    stopping = true
    logger.info({ signal }, 'stopping')
    app.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error({ err: error }, 'stopping failed')
        process.exit(1)
      },
    )
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  process.on('SIGHUP', () => void app.reloadConfig())
  // State is in the database: after a bug nobody foresaw, a fresh process is safer than this one.
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => {
      logger.fatal({ err: error }, `${event}: ${messageOf(error)}`)
      process.exit(1)
    })
  }
}
