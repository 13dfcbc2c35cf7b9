/**
 * `npm run test:soak`: see `usage`. Exit codes: 0 no stranger saw anything, 1 one did or the soak could not run, 2
 * wrong usage.
 */
import { parseArgs, styleText } from 'node:util'
import { systemClock } from '../../src/platform/clock.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { startEmbeddedPostgres } from '../../src/postgres/embedded-postgres.ts'
import { exitCodeOf, progressPrinter, untilInterrupted, wholeNumber } from '../harness/long-run.ts'
import { createTemporaryHome } from '../harness/temporary-home.ts'
import { runSoak, type SoakReport } from './soak.ts'

const usage = `npm run test:soak -- [options]

Two server processes on one database; sessions that five people share, each with a text of its own that is in its description,
messages, commands and answers. People join and leave, become admins and users again, lose their token and get it back; connectors
speak in their names; servers are killed. Everybody follows what they may see and what they may not, and tries every list, id
and change. Five seconds after a person lost sight of a session, nothing of it may reach them, and they may change nothing there.

  --sessions <n>   sessions                                       default 200
  --people <n>     people who take part                           default 40
  --minutes <n>    for how long                                   default 5
  --kills <n>      how many servers are killed                    default 20
  --seed <n>       repeats the choices of an earlier run          default random
  --help           this`

function readArguments() {
  const text = { type: 'string' } as const
  const { values } = parseArgs({
    options: { sessions: text, people: text, minutes: text, kills: text, seed: text, help: { type: 'boolean' } },
  })
  const number = (name: Exclude<keyof typeof values, 'help'>, byDefault: number): number =>
    wholeNumber(values, name, byDefault)
  return {
    help: values.help === true,
    sessions: number('sessions', 200),
    people: number('people', 40),
    durationMs: number('minutes', 5) * 60_000,
    kills: number('kills', 20),
    seed: number('seed', Math.floor(Math.random() * 2 ** 32)),
  }
}

async function main(): Promise<number> {
  const options = readArguments()
  if (options.help) {
    console.log(usage)
    return 0
  }
  await using home = await createTemporaryHome()
  const onProgress = progressPrinter()
  console.log(`Soak, seed ${options.seed}.`)
  const logger = createLogger({ level: 'fatal', pretty: true })
  const database = await startEmbeddedPostgres({ home: home.path, logger, clock: systemClock })
  try {
    const everyMs = { message: 150, move: 200, role: 4000, probe: options.people * PROBE_MS }
    const followMs = options.people * FOLLOW_MS
    const place = { home: home.path, databaseUrl: database.url }
    const soak = runSoak({ ...options, ...place, everyMs, followMs, onProgress })
    return report(await Promise.race([soak, untilInterrupted()]), options.seed)
  } finally {
    await database.stop()
  }
}

/** For each of the people, so that reading and trying leave the machine time for what is read. */
const PROBE_MS = 40
const FOLLOW_MS = 1000
const MAX_SHOWN = 20

function report({ findings, alarms, counts, serversStarted }: SoakReport, seed: number): number {
  for (const [what, count] of Object.entries({ ...counts, serversStarted })) console.log(`${what.padEnd(16)}${count}`)
  const all = [...findings, ...alarms]
  for (const finding of all.slice(0, MAX_SHOWN)) console.log(styleText('red', finding))
  const kept = all.length === 0 && counts.seen > 0
  const verdict = kept ? 'No stranger saw or changed anything.' : `${all.length} findings (seed ${seed}).`
  console.log(styleText(kept ? 'green' : 'red', verdict))
  return kept ? 0 : 1
}

// Not only the exit code: after an interruption servers are still at work, and end with this process.
process.exit(await exitCodeOf(main, usage))
