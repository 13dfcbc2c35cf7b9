/**
 * `npm run test:fuzz`: see `usage`. Exit codes: 0 all is well, 1 something is not or the test could not run, 2 wrong
 * usage.
 */
import { parseArgs, styleText } from 'node:util'
import { systemClock } from '../../src/platform/clock.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { startEmbeddedPostgres } from '../../src/postgres/embedded-postgres.ts'
import { exitCodeOf, progressPrinter, untilInterrupted, wholeNumber } from '../harness/long-run.ts'
import { createTemporaryHome } from '../harness/temporary-home.ts'
import { runFuzz, type FuzzReport } from './run-fuzz.ts'

const usage = `npm run test:fuzz -- [options]

Sends random GraphQL operations to a server: such as the schema allows, mutated ones, deep ones, noise, wrong variables, broken
bodies. None may be answered with a server error or an answer that is too large, nothing unexpected may be thrown, the
process must live, and its memory stay within 15 % (judged from 100 000 operations on).

  --documents <n>  how many operations                            default 20000
  --seed <n>       repeats the operations of an earlier run       default random
  --help           this

Uses an embedded PostgreSQL in a temporary folder.`

async function main(): Promise<number> {
  const text = { type: 'string' } as const
  const { values } = parseArgs({ options: { documents: text, seed: text, help: { type: 'boolean' } } })
  if (values.help === true) {
    console.log(usage)
    return 0
  }
  const seed = wholeNumber(values, 'seed', Math.floor(Math.random() * 2 ** 32))
  const documents = wholeNumber(values, 'documents', 20_000)
  await using home = await createTemporaryHome()
  console.log(`Fuzzing, seed ${seed}.`)
  const logger = createLogger({ level: 'fatal', pretty: true })
  const database = await startEmbeddedPostgres({ home: home.path, logger, clock: systemClock })
  try {
    const place = { home: home.path, databaseUrl: database.url }
    const fuzzing = runFuzz({ ...place, seed, documents, onProgress: progressPrinter() })
    return report(await Promise.race([fuzzing, untilInterrupted()]), seed)
  } finally {
    await database.stop()
  }
}

function report({ findings, counts, largestBytes, slowestMs, memory }: FuzzReport, seed: number): number {
  for (const [what, count] of Object.entries(counts)) console.log(`${what.padEnd(32)}${count}`)
  console.log(`largest answer ${largestBytes} bytes, slowest ${slowestMs} ms, memory ${JSON.stringify(memory)}`)
  for (const finding of findings) console.log(styleText('red', finding))
  const verdict = findings.length === 0 ? 'All is well.' : `${findings.length} findings (seed ${seed}).`
  console.log(styleText(findings.length === 0 ? 'green' : 'red', verdict))
  return findings.length === 0 ? 0 : 1
}

// Not only the exit code: after an interruption a server is still at work, and ends with this process.
process.exit(await exitCodeOf(main, usage))
