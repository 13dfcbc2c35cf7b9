/**
 * `npm run bench`: everything that is measured, in one run, as one table. README.md says what each line means, what it should
 * be on a quiet machine with two cores, and what was measured.
 */
import { parseArgs } from 'node:util'
import { measureAccept } from './accept.ts'
import { measureFanOut } from './fan-out.ts'
import { measurePages } from './pages.ts'
import { Stage } from './stage.ts'
import { measureTurns } from './turns.ts'

export interface Row {
  readonly what: string
  readonly value: string
  /** What the barest script reaches; empty where there is none. */
  readonly floor: string
  readonly ratio: string
  readonly note: string
}

const HELP = `npm run bench -- [--only a,d] [--quick] [--help]

  --only   which parts: a (with b and c), d (with g), e, f; default all
  --quick  fewer rounds: for a first look, not for figures

Everything runs on this machine's loopback: a real server process on the embedded PostgreSQL, an instant stand-in for a
language model, clients in processes of their own. Figures are medians; compare ratios, not machines.`

const { values: flags } = parseArgs({
  options: {
    only: { type: 'string', default: 'a,d,e,f' },
    quick: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
if (flags.help) console.log(HELP)
else await main(new Set(flags.only.split(',').map((part) => part.trim())), flags.quick)

async function main(parts: ReadonlySet<string>, quick: boolean): Promise<void> {
  const rows: Row[] = []
  const run = async (name: string, measure: (stage: Stage) => Promise<Row[]>): Promise<void> => {
    if (!parts.has(name)) return
    console.error(`measuring (${name}) …`)
    // A fresh server and database for each: no part leaves work for the next.
    await using stage = await Stage.start()
    rows.push(...(await measure(stage)))
  }
  await run('a', (stage) => measureTurns(stage, quick ? { rounds: 2, perRound: 20 } : { rounds: 6, perRound: 60 }))
  await run('e', (stage) => measureAccept(stage, { messages: quick ? 1000 : 4000 }))
  await run('f', (stage) => measurePages(stage, { requests: quick ? 50 : 300 }))
  if (rows.length > 0) print(rows)
  if (parts.has('d')) await measureFanOut()
}

function print(rows: readonly Row[]): void {
  const width = Math.max(...rows.map(({ what }) => what.length))
  console.log(`${''.padEnd(width)}  ${'ours'.padStart(8)}  ${'floor'.padStart(8)}  ${'ratio'.padStart(6)}`)
  for (const { what, value, floor, ratio, note } of rows) {
    console.log(`${what.padEnd(width)}  ${value.padStart(8)}  ${floor.padStart(8)}  ${ratio.padStart(6)}  ${note}`)
  }
  console.log('')
}
