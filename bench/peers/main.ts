/**
 * `npm run bench:peers`: a turn here beside the same work done by others, in one run. Each is a server of its own on
 * the same PostgreSQL, asked over HTTP, and its answer is read as it streams; they take turns in short rounds, and a
 * ratio is the median of the rounds' ratios. What each of them has kept by then differs, and is said.
 */
import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { median, show } from '../figures.ts'
import { Stage } from '../stage.ts'
import { MESSAGES, Product, SESSIONS } from '../turns.ts'
import { installPeers, removePeers, versionOf } from './install-peers.ts'
import { PEERS } from './kinds.ts'
import { Peer } from './peer.ts'

const HELP = `npm run bench:peers -- [--only chat,plan] [--rounds 8] [--turns 10] [--quick] [--remove] [--help]

  --only    which turns; default both (10 minutes)
  --rounds  how often all of them are measured, one after another
  --turns   of one session in each round
  --quick   3 rounds of 5 turns: for a first look, not for figures
  --remove  removes what was installed (bench/peers/node_modules), and measures nothing

Needs the npm registry the first time, to install the peers as bench/peers/package-lock.json pins them.`

/** How the same is asked for: ours by its mode, theirs by what the stand-in model does when it is told so. */
const WORK = [
  { kind: 'chat', name: 'chat turn: one call of the model', mode: 'CHAT', content: 'Say hi.' },
  {
    kind: 'plan',
    name: 'plan turn: three calls of the model, one command, one answer',
    mode: 'PLAN',
    content: 'Use a tool and review it.',
  },
] as const
type Work = (typeof WORK)[number]

const WARM_UP_TURNS = 20

/** One of those who are compared. */
interface Subject {
  readonly name: string
  readonly keeps: string
  /** Of turns of one new session: until the whole answer was read, until the next message may be sent. */
  readonly answer: (work: Work, turns: number) => Promise<{ readonly answerMs: number; readonly endMs: number }[]>
  /** Turns per second of many new sessions. */
  readonly crowd: (work: Work) => Promise<number>
}

function ours(product: Product): Subject {
  let count = 0
  return {
    name: 'Factotum',
    keeps: 'each step in PostgreSQL, before it is shown',
    answer: async ({ mode }, turns) => {
      const found = await product.answerTimes(`cli:peers-${count++}`, turns, { mode })
      return found.map((ms) => ({ answerMs: ms, endMs: ms }))
    },
    crowd: ({ mode }) => product.turnsPerSecond(`cli:peers-${count++}`, { mode }),
  }
}

function theirs(peer: Peer, { name, keeps }: (typeof PEERS)[number]): Subject {
  return {
    name,
    keeps,
    answer: async ({ content }, turns) => await peer.runTurns(await peer.openSession(), turns, content),
    crowd: async ({ content }) => {
      const ids = await Promise.all(Array.from({ length: SESSIONS }, () => peer.openSession()))
      const beganMs = performance.now()
      await Promise.all(ids.map((id) => peer.runTurns(id, MESSAGES, content)))
      return (SESSIONS * MESSAGES * 1000) / (performance.now() - beganMs)
    },
  }
}

interface Found {
  readonly answerMs: number[]
  readonly endMs: number[]
  readonly perSecond: number[]
}

async function measure(subjects: readonly Subject[], work: Work, size: Size): Promise<void> {
  for (const { name, answer, crowd } of subjects) {
    console.error(`warming up: ${name}`)
    await answer(work, WARM_UP_TURNS)
    await crowd(work)
  }
  const found = subjects.map((): Found => ({ answerMs: [], endMs: [], perSecond: [] }))
  for (let round = 0; round < size.rounds; round += 1) {
    console.error(`${work.name}: round ${round + 1} of ${size.rounds}`)
    for (const [index, { answer, crowd }] of subjects.entries()) {
      const times = await answer(work, size.turns)
      found[index]?.answerMs.push(median(times.map(({ answerMs }) => answerMs)))
      found[index]?.endMs.push(median(times.map(({ endMs }) => endMs)))
      found[index]?.perSecond.push(await crowd(work))
    }
  }
  print(subjects, work, found)
}

function print(subjects: readonly Subject[], { name }: Work, found: readonly Found[]): void {
  const [own] = found
  const ratio = (mine: readonly number[] = [], other: readonly number[] = []): string =>
    show(median(mine.map((value, round) => value / (other[round] ?? Number.NaN))))
  console.log(`\n${name}; turns/s: of ${SESSIONS} sessions\n`)
  console.log(
    `| | ms until the answer | ours to it | ms until its end | turns/s, ${SESSIONS} sessions | ours to it | kept |`,
  )
  console.log('|---|---|---|---|---|---|---|')
  for (const [index, subject] of subjects.entries()) {
    const { answerMs = [], endMs = [], perSecond = [] } = found[index] ?? {}
    const figures = [
      show(median(answerMs)),
      ratio(own?.answerMs, answerMs),
      show(median(endMs)),
      show(median(perSecond)),
      ratio(own?.perSecond, perSecond),
    ]
    console.log(`| ${[subject.name, ...figures, subject.keeps].join(' | ')} |`)
  }
}

interface Size {
  readonly rounds: number
  readonly turns: number
}

async function main(works: readonly Work[], size: Size): Promise<void> {
  if (works.length === 0) throw new Error('--only: chat, plan or both')
  await installPeers()
  await using stage = await Stage.start()
  await using peers = new AsyncDisposableStack()
  using product = new Product(stage)
  const subjects = [ours(product)]
  for (const kind of PEERS) {
    console.error(`starting ${kind.name}`)
    const databaseUrl = kind.database === undefined ? undefined : await stage.createDatabase(kind.database)
    subjects.push(theirs(peers.use(await Peer.start(kind, { modelUrl: stage.stubUrl, databaseUrl })), kind))
  }
  const load = (): string => loadavg().map(show).join(' ')
  const before = load()
  for (const work of works) await measure(subjects, work, size)
  console.log(`\nNode ${process.versions.node}; load ${before} before, ${load()} after`)
  for (const { name, packages } of PEERS) console.log(`${name}: ${packages.map(versionOf).join(', ')}`)
}

const { values: flags } = parseArgs({
  options: {
    only: { type: 'string', default: 'chat,plan' },
    rounds: { type: 'string', default: '8' },
    turns: { type: 'string', default: '10' },
    quick: { type: 'boolean', default: false },
    remove: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const size = flags.quick ? { rounds: 3, turns: 5 } : { rounds: Number(flags.rounds), turns: Number(flags.turns) }
const works = WORK.filter(({ kind }) => flags.only.split(',').includes(kind))
if (flags.help) console.log(HELP)
else if (flags.remove) removePeers()
else await main(works, size)
