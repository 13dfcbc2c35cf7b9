/**
 * `npm run bench:scale`: what bench/at-scale.md computes, tried at one size: a million sessions of rows in one
 * PostgreSQL, and four processes on it beside one. Turns, lists, how long a process takes to start, and what it costs
 * while nothing happens.
 */
import { mkdirSync } from 'node:fs'
import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { median, show } from '../figures.ts'
import { askForLists } from '../lists.ts'
import { fillManySessions, peopleToml } from '../many-sessions.ts'
import { cpuMs, postgresCpuMs } from '../process-usage.ts'
import { Stage, type ServerProcess } from '../stage.ts'
import { printTable, type Row } from '../table.ts'
import { MESSAGES, Product, SESSIONS } from '../turns.ts'

const HELP = `npm run bench:scale -- [--sessions 1000000] [--processes 4] [--rounds 4] [--home FOLDER] [--quick] [--help]

  --sessions   how many are in the database; a million are 7 GB, and take some minutes
  --processes  how many servers, beside one
  --rounds     of turns, of one and of all
  --home       a folder that stays, with its database: another run with it fills nothing
  --quick      1 round, and fewer lists: for a first look, not for figures`

const PARTICIPANTS = 2
const EVENTS = 8
const IDLE_MS = 10_000
/** As of a young session and its first three turns. */
const WARM_UP_SESSIONS = 20

interface Options {
  readonly sessions: number
  readonly processes: number
  readonly rounds: number
  readonly requests: number
  readonly home: string | undefined
}

async function main({ sessions, processes, rounds, requests, home }: Options): Promise<void> {
  if (home !== undefined) mkdirSync(home, { recursive: true })
  await using stage = await Stage.start({ toml: peopleToml(), ...(home === undefined ? {} : { home }) })
  const rows = await fill(stage, sessions)
  console.error('asking for lists …')
  rows.push(...summaryOf(await askForLists(stage, { requests, participants: PARTICIPANTS, isLenient: true })))

  const one = await measureTurns(stage, [stage], rounds)
  rows.push(await measureIdle('one process', stage, [stage]))
  await using others = new AsyncDisposableStack()
  const servers: (Stage | ServerProcess)[] = [stage]
  const startsMs: number[] = []
  while (servers.length < processes) {
    console.error(`starting process ${servers.length + 1} …`)
    const server = others.use(await stage.startBeside())
    servers.push(server)
    startsMs.push(server.startMs)
  }
  rows.push(row('until a further process is ready, ms', show(median(startsMs))))
  const all = await measureTurns(stage, servers, rounds)
  rows.push(await measureIdle(`${processes} processes`, stage, servers))
  rows.push(...compare(one, all, processes))
  printTable(rows)
  console.log(`load ${loadavg().map(show).join(' ')}`)
}

async function fill(stage: Stage, sessions: number): Promise<Row[]> {
  const client = new pg.Client({ connectionString: stage.databaseUrl })
  await client.connect()
  const { rows: found } = await client.query<{ count: number }>(
    `SELECT count(*)::float8 AS count FROM sessions WHERE id LIKE 'many:%' OR id LIKE 'old:%'`,
  )
  const there = found[0]?.count ?? 0
  const beganMs = performance.now()
  if (there === 0) {
    console.error(`filling the database with ${show(sessions)} sessions …`)
    await fillManySessions(stage.databaseUrl, { sessions, participants: PARTICIPANTS, events: EVENTS })
  }
  const size = await client.query<{ bytes: number }>('SELECT pg_database_size(current_database())::float8 AS bytes')
  await client.end()
  const seconds = there === 0 ? `${show((performance.now() - beganMs) / 1000)} s to fill` : 'filled by an earlier run'
  return [row(`database with ${show(there || sessions)} sessions, MB`, show((size.rows[0]?.bytes ?? 0) / 1e6), seconds)]
}

interface Turns {
  readonly perSecond: number
  readonly serverMs: number
  readonly postgresMs: number
}

/** The same number of sessions and messages, however many servers share them. */
async function measureTurns(
  stage: Stage,
  servers: readonly { readonly url: string; readonly pid: number }[],
  rounds: number,
): Promise<Turns[]> {
  const products = servers.map((server) => new Product(server))
  const share = Math.ceil(SESSIONS / servers.length)
  const run = async (name: string, sessions: number): Promise<void> => {
    await Promise.all(products.map((product, n) => product.turnsPerSecond(`cli:${name}-${n}`, { sessions })))
  }
  const name = `${process.pid}-of-${servers.length}`
  console.error(`turns of ${servers.length} processes …`)
  for (let round = 0; round < 2; round += 1) await run(`${name}-warm-${round}`, WARM_UP_SESSIONS)
  const found: Turns[] = []
  const cpuOf = (): readonly [number, number] => [
    servers.reduce((sum, { pid }) => sum + cpuMs(pid), 0),
    postgresCpuMs(stage.home),
  ]
  for (let round = 0; round < rounds; round += 1) {
    const [server, postgres] = cpuOf()
    const beganMs = performance.now()
    await run(`${name}-${round}`, share)
    const ms = performance.now() - beganMs
    const turns = share * servers.length * MESSAGES
    const [serverAfter, postgresAfter] = cpuOf()
    found.push({
      perSecond: (turns * 1000) / ms,
      serverMs: (serverAfter - server) / turns,
      postgresMs: (postgresAfter - postgres) / turns,
    })
  }
  for (const product of products) product[Symbol.dispose]()
  return found
}

function compare(one: readonly Turns[], all: readonly Turns[], processes: number): Row[] {
  const cases = [
    ['turns per second', ({ perSecond }: Turns) => perSecond],
    ['CPU per turn, servers and PostgreSQL, ms', ({ serverMs, postgresMs }: Turns) => serverMs + postgresMs],
    ['of which servers', ({ serverMs }: Turns) => serverMs],
    ['of which PostgreSQL', ({ postgresMs }: Turns) => postgresMs],
  ] as const
  return cases.map(([what, of]) => {
    const [few, many] = [median(one.map(of)), median(all.map(of))]
    const note = `floor: the same of one process; spread ${show(Math.min(...all.map(of)))} to ${show(Math.max(...all.map(of)))}`
    return {
      what: `${what}, ${processes} processes`,
      value: show(many),
      floor: show(few),
      ratio: show(many / few),
      note,
    }
  })
}

/** What polls, beats and listening cost while no client asks for anything. */
async function measureIdle(who: string, { home }: Stage, servers: readonly { readonly pid: number }[]): Promise<Row> {
  console.error(`${who}, idle …`)
  await sleep(2000)
  const cpuOf = (): readonly [number, number] => [
    servers.reduce((sum, { pid }) => sum + cpuMs(pid), 0),
    postgresCpuMs(home),
  ]
  const [server, postgres] = cpuOf()
  await sleep(IDLE_MS)
  const [serverAfter, postgresAfter] = cpuOf()
  const perSecond = (ms: number): string => show((ms * 1000) / IDLE_MS)
  const note = `PostgreSQL ${perSecond(postgresAfter - postgres)} ms`
  return row(`${who}, idle: CPU of the servers, ms per second`, perSecond(serverAfter - server), note)
}

/** The slowest and the middle one of those that were answered, and what was not. */
function summaryOf(lists: readonly Row[]): Row[] {
  const answered = lists.filter(({ note }) => note !== 'given up')
  const times = answered.map(({ value }) => Number(value.replaceAll(' ', '')))
  const slowest = answered[times.indexOf(Math.max(...times))]
  const left = lists.filter((list) => !answered.includes(list)).map(({ what }) => what)
  return [
    row(`${answered.length} lists, ms, middle one`, show(median(times)), `slowest ${slowest?.value}: ${slowest?.what}`),
    row('lists that were given up', String(left.length), left.join('; ')),
  ]
}

function row(what: string, value: string, note = ''): Row {
  return { what, value, floor: '', ratio: '', note }
}

const { values: flags } = parseArgs({
  options: {
    sessions: { type: 'string', default: '1000000' },
    processes: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '4' },
    home: { type: 'string' },
    quick: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
if (flags.help) console.log(HELP)
else
  await main({
    sessions: Number(flags.sessions),
    processes: Number(flags.processes),
    rounds: flags.quick ? 1 : Number(flags.rounds),
    requests: flags.quick ? 3 : 20,
    home: flags.home,
  })
