/**
 * `npm run test:crash -- --kills 100`: see `usage`. Exit codes: 0 every promise was kept, 1 one was broken or the test
 * could not run, 2 wrong usage.
 */
import { appendFileSync } from 'node:fs'
import { parseArgs, styleText } from 'node:util'
import { findDescendants, isRunning } from '../../src/execution/process/process-tree.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { startEmbeddedPostgres } from '../../src/postgres/embedded-postgres.ts'
import { exitCodeOf, progressPrinter, untilInterrupted, wholeNumber } from '../harness/long-run.ts'
import type { LogLine } from '../harness/server-process.ts'
import { createTemporaryHome } from '../harness/temporary-home.ts'
import { describeReport, findingsOf } from './describe-report.ts'
import { runStorm } from './storm.ts'

const usage = `npm run test:crash -- [options]

Two server processes on one database, under load: sessions send messages whose commands leave marks in a file, subscribers
follow every session over WebSocket and SSE and come back with "after". Servers are killed (SIGKILL) at random, hang (SIGSTOP),
and lose their database; PostgreSQL is killed too. In the end nothing accepted may be lost, no command run twice or beside another
one of its session, no event missed or repeated, no text for a webhook lost or out of order, no learning lost or
curated twice, no task delegated twice or left open, no approval decided twice or task run without one, no schedule fired twice for one time or not at all, and the audit
must be whole.

  --kills <n>            how many servers are killed                        default 100
  --pauses <n>           how often a server hangs for 15 s                  default 2
  --node-cuts <n>        how often the servers' node connections are cut    default 10
  --database-kills <n>   how often the embedded PostgreSQL is killed        default 3
  --host-kills <n>       how many processes that start commands are killed  default 10
  --host-stops <n>       how often one of them stands still                 default 4
  --database-restarts <n>  how often the embedded PostgreSQL is restarted   default 3
  --database-pauses <n>  how often it stands still for 5 s                  default 2
  --drops <n>            how often a connection to PostgreSQL is reset      default 100
  --outage <s>           for how many seconds PostgreSQL cannot be reached  default 30
  --sessions <n>         how many sessions are busy at the same time        default 12
  --schedules <n>        how many schedules fire again and again            default 6
  --seed <n>             repeats the choices of an earlier run              default random
  --log <file>           what the servers log is appended there, a line each, with the pid of the server
  --help                 this

Uses an embedded PostgreSQL in a temporary folder, or the database in DATABASE_URL, in which it leaves its sessions.`

function readArguments() {
  const text = { type: 'string' } as const
  const { values } = parseArgs({
    options: {
      kills: text,
      pauses: text,
      'node-cuts': text,
      'database-kills': text,
      'host-kills': text,
      'host-stops': text,
      'database-restarts': text,
      'database-pauses': text,
      drops: text,
      outage: text,
      sessions: text,
      schedules: text,
      seed: text,
      log: text,
      help: { type: 'boolean' },
    },
  })
  const number = (name: Exclude<keyof typeof values, 'help' | 'log'>, byDefault: number): number =>
    wholeNumber(values, name, byDefault)
  const isEmbedded = process.env['DATABASE_URL'] === undefined
  const databaseKills = number('database-kills', isEmbedded ? 3 : 0)
  const databaseRestarts = number('database-restarts', isEmbedded ? 3 : 0)
  const databasePauses = number('database-pauses', isEmbedded ? 2 : 0)
  if (databaseKills + databaseRestarts + databasePauses > 0 && !isEmbedded)
    throw new TypeError('--database-…: unset DATABASE_URL; yours is not harmed')
  return {
    help: values.help === true,
    kills: number('kills', 100),
    pauses: number('pauses', 2),
    nodeCuts: number('node-cuts', 10),
    databaseKills,
    databaseRestarts,
    databasePauses,
    hostKills: number('host-kills', 10),
    hostStops: number('host-stops', 4),
    drops: number('drops', 100),
    outageMs: number('outage', 30) * 1000,
    sessions: number('sessions', 12),
    schedules: number('schedules', 6),
    seed: number('seed', Math.floor(Math.random() * 2 ** 32)),
    log: values.log,
  }
}

async function main(): Promise<number> {
  const options = readArguments()
  if (options.help) {
    console.log(usage)
    return 0
  }
  await using stack = new AsyncDisposableStack()
  const home = stack.use(await createTemporaryHome()).path
  const onProgress = progressPrinter()
  console.log(`Crash test, seed ${options.seed}.`)
  const database = await openDatabase(home, stack)
  const onLog = (server: number, line: LogLine): void => {
    if (options.log !== undefined) appendFileSync(options.log, `${JSON.stringify({ server, ...line })}\n`)
  }
  const report = await Promise.race([
    runStorm({ ...options, ...database, home, onProgress, onLog }),
    untilInterrupted(),
  ])
  console.log(`\n${describeReport(report)}\n`)
  const findings = findingsOf(report)
  for (const finding of findings) console.log(styleText('red', finding))
  const kept = findings.length === 0
  const verdict = kept ? 'Every promise was kept.' : `${findings.length} promises were broken (seed ${options.seed}).`
  console.log(styleText(kept ? 'green' : 'red', verdict))
  return kept ? 0 : 1
}

async function openDatabase(home: string, stack: AsyncDisposableStack) {
  const given = process.env['DATABASE_URL']
  if (given !== undefined) {
    const pauseDatabase = (): Promise<void> => Promise.resolve()
    return { databaseUrl: given, killDatabase: () => {}, restartDatabase: () => {}, pauseDatabase }
  }
  const logger = createLogger({ level: 'fatal', pretty: true })
  const server = await startEmbeddedPostgres({ home, logger, clock: systemClock })
  stack.defer(() => server.stop())
  const killDatabase = (): void => {
    if (server.pid !== null) process.kill(server.pid, 'SIGKILL')
  }
  const restartDatabase = (): void => {
    // "fast": it cuts every connection, and is started again
    if (server.pid !== null) process.kill(server.pid, 'SIGINT')
  }
  const pauseDatabase = async (ms: number): Promise<void> => {
    if (server.pid === null) return
    const stopped = [server.pid, ...findDescendants(server.pid)]
    signalAll(stopped, 'SIGSTOP')
    await systemClock.sleep(ms)
    signalAll(stopped, 'SIGCONT')
  }
  return { databaseUrl: server.url, killDatabase, restartDatabase, pauseDatabase }
}

function signalAll(pids: readonly number[], signal: 'SIGSTOP' | 'SIGCONT'): void {
  for (const pid of pids.filter(isRunning)) process.kill(pid, signal)
}

// Not only the exit code: after an interruption servers are still at work, and end with this process.
process.exit(await exitCodeOf(main, usage))
