/**
 * `npm run bench`: everything that is measured, in one run, as one table. README.md says what each line means, what it
 * should be on a quiet machine with two cores, and what was measured.
 */
import { parseArgs } from 'node:util'
import { measureAccept } from './accept.ts'
import { measureBurst } from './burst.ts'
import { measureChat, measureWarmChat } from './chat.ts'
import { measureDeliveries } from './deliveries.ts'
import { measureFanOut, measureIdleSubscribers } from './fan-out.ts'
import { measureColdStart } from './cold-start.ts'
import { measureFold } from './fold.ts'
import { measureLongSessions, measureManyFacts } from './history.ts'
import { measureIdleSessions } from './idle-sessions.ts'
import { measureLists, type ListsSize } from './lists.ts'
import { peopleToml } from './many-sessions.ts'
import { measureMessagePages } from './message-pages.ts'
import { measureNeighbour } from './neighbour.ts'
import { measurePages } from './pages.ts'
import { measurePauses } from './pauses.ts'
import { measurePlugins } from './plugins.ts'
import { measureRedaction } from './redaction.ts'
import { Stage } from './stage.ts'
import { printTable, type Row } from './table.ts'
import { measureLatency, measureThroughput } from './turns.ts'

const HELP = `npm run bench -- [--only a,b,d,e,f,g,h,i,j,k,l,m,n,o,p] [--quick] [--help]

  --only   which parts; default all (25 minutes)
             a  from a message to its final answer     b  turns per second     both against the barest script
             d  delivery to many subscribers           e  accepting messages
             f  pages of long lists                    g  memory of what is idle
             h  posts to webhooks                      i  turns in old sessions, and with many facts
             j  taking secrets out of texts           k  lists and counters at 100 000 sessions
             l  10 000 messages at one moment        m  the fold of the client
             n  turns with ten plugins that do nothing
             o  turns of conversations
             p  turns after a pause of 1, 12 and 60 seconds
             q  starts of a server
  --quick  fewer rounds: for a first look, not for figures

Everything runs on this machine's loopback: a real server process on the embedded PostgreSQL, an instant stand-in for a
language model, clients in processes of their own. Figures are medians; compare ratios, not machines.`

/** A part's letter, and what measures it on a server and database of its own: none leaves work for the next. */
type Part = readonly [letter: string, measure: (quick: boolean) => Promise<Row[]>]

const PARTS: readonly Part[] = [
  [
    'a',
    (quick) => onStage((stage) => measureLatency(stage, quick ? { rounds: 4, turns: 10 } : { rounds: 20, turns: 20 })),
  ],
  ['b', (quick) => onStage((stage) => measureThroughput(stage, { rounds: quick ? 2 : 7 }))],
  ['d', (quick) => measureFanOut(quick ? { rounds: 1, measureMs: 1000 } : { rounds: 3, measureMs: 3000 })],
  ['d', (quick) => onStage((stage) => measureNeighbour(stage, { events: quick ? 20 : 100 }))],
  ['e', (quick) => onStage((stage) => measureAccept(stage, { messages: quick ? 1000 : 4000 }))],
  ['f', (quick) => onStage((stage) => measurePages(stage, { requests: quick ? 50 : 300 }))],
  [
    'f',
    (quick) =>
      onStage((stage) =>
        measureMessagePages(stage, quick ? { rounds: 2, requests: 1000 } : { rounds: 5, requests: 4000 }),
      ),
  ],
  ['g', () => onStage((stage) => measureIdleSessions(stage))],
  ['g', () => measureIdleSubscribers()],
  [
    'h',
    (quick) =>
      onStage((stage) =>
        measureDeliveries(stage, quick ? { rounds: 1, perSession: 20 } : { rounds: 5, perSession: 50 }),
      ),
  ],
  ['i', (quick) => onStage((stage) => measureLongSessions(stage, { rounds: quick ? 4 : 20, turns: 10 }))],
  ['i', (quick) => measureManyFacts({ rounds: quick ? 4 : 20, turns: 10 })],
  ['j', (quick) => Promise.resolve(measureRedaction({ rounds: quick ? 3 : 15 }))],
  [
    'k',
    (quick) => measureManySessions(quick ? { sessions: 10_000, requests: 10 } : { sessions: 100_000, requests: 50 }),
  ],
  ['l', (quick) => onStage((stage) => measureBurst(stage, { messages: quick ? 2000 : 10_000 }))],
  ['n', (quick) => measurePlugins({ rounds: quick ? 4 : 20, turns: 10 })],
  ['o', (quick) => onStage((stage) => measureChat(stage, { rounds: quick ? 4 : 20, turns: 10 }))],
  ['o', (quick) => onStage((stage) => measureWarmChat(stage, { rounds: quick ? 4 : 20, turns: 5 }))],
  [
    'p',
    (quick) =>
      onStage((stage) => measurePauses(stage, { turns: quick ? 20 : 50, pauses: quick ? SHORT_PAUSES : PAUSES })),
  ],
  ['q', (quick) => measureColdStart({ rounds: quick ? 4 : 15 })],
  ['m', (quick) => Promise.resolve(measureFold({ rounds: quick ? 9 : 99 }))],
]

const PAUSES = [
  { seconds: 1, times: 20 },
  { seconds: 12, times: 12 },
  { seconds: 60, times: 3 },
]
const SHORT_PAUSES = [
  { seconds: 1, times: 10 },
  { seconds: 12, times: 5 },
]

/** Its stage knows the people who take part. */
async function measureManySessions(size: ListsSize): Promise<Row[]> {
  await using stage = await Stage.start({ toml: peopleToml() })
  return await measureLists(stage, size)
}

async function onStage(measure: (stage: Stage) => Promise<Row[]>): Promise<Row[]> {
  await using stage = await Stage.start()
  // The stage stands until it is measured: not "return measure(stage)".
  return await measure(stage)
}

async function main(only: readonly string[], quick: boolean): Promise<void> {
  const chosen = PARTS.filter(([letter]) => only.includes(letter))
  if (chosen.length === 0) throw new Error(`--only: none of these parts exists: ${only.join(', ')}`)
  const rows: Row[] = []
  for (const [letter, measure] of chosen) {
    console.error(`measuring (${letter}) …`)
    rows.push(...(await measure(quick)))
  }
  printTable(rows)
}

const { values: flags } = parseArgs({
  options: {
    only: { type: 'string', default: 'a,b,d,e,f,g,h,i,j,k,l,m,n,o,p,q' },
    quick: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
if (flags.help) console.log(HELP)
else
  await main(
    flags.only.split(',').map((part) => part.trim()),
    flags.quick,
  )
