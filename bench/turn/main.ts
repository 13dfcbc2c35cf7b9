/**
 * `npm run bench:turn`: what one turn costs PostgreSQL. Bytes and records of the write-ahead log, bytes of tables and
 * indexes, CPU of its processes, and its statements. With two trees, each has a server and a database of its own, and
 * they take turns.
 */
import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { median, show } from '../figures.ts'
import { cpuMs, postgresCpuMs } from '../process-usage.ts'
import { Stage } from '../stage.ts'
import { MESSAGES, Product, SESSIONS } from '../turns.ts'
import { printShares, printStatements } from './details.ts'
import { walBetween, walPlace, type WalShare } from './wal.ts'

const HELP = `npm run bench:turn -- [--main OTHER/src/main.ts] [--rounds 4] [--chat] [--alone] [--details] [--help]

  --main     the server of another tree, to compare with; it is "before"
  --rounds   of 200 turns each: 50 sessions with 4 messages, 25 sessions at a time
  --chat     turns of conversations; default: plans of one command and one text
  --alone    one session after another, in which no turn waits
  --details  by relation, kind of record and statement`

/** Code and statements are young until then. */
const WARM_UP_ROUNDS = 2
/** Sessions; more are refused by a young server on a busy machine. */
const AT_ONCE = 25
/** What a turn leaves to be written later is written by then. */
const SETTLE_MS = 1500
const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

interface Options {
  readonly mains: readonly string[]
  readonly rounds: number
  readonly mode: 'PLAN' | 'CHAT'
  readonly alone: boolean
  readonly details: boolean
}

/** Per turn. */
interface Cost {
  readonly walKb: number
  readonly pagesKb: number
  readonly records: number
  readonly commits: number
  readonly rowsKb: number
  readonly postgresMs: number
  readonly serverMs: number
}

class Side implements AsyncDisposable {
  readonly name: string
  readonly costs: Cost[] = []
  readonly wal: WalShare[] = []
  readonly #stage: Stage
  readonly #product: Product
  readonly #client: pg.Client
  /** Bytes of each relation before the first round. */
  #first: Map<string, number> | null = null

  private constructor(name: string, stage: Stage, client: pg.Client) {
    this.name = name
    this.#stage = stage
    this.#product = new Product(stage)
    this.#client = client
  }

  static async start(name: string, main: string): Promise<Side> {
    const settings = {
      shared_preload_libraries: 'pg_stat_statements',
      'pg_stat_statements.track': 'all',
      compute_query_id: 'on',
    }
    const stage = await Stage.start({ main, settings })
    const client = new pg.Client({ connectionString: stage.databaseUrl })
    await client.connect()
    await client.query('CREATE EXTENSION pg_stat_statements')
    await client.query('CREATE EXTENSION pg_walinspect')
    return new Side(name, stage, client)
  }

  async warmUp(options: Options): Promise<void> {
    for (let round = 0; round < WARM_UP_ROUNDS; round += 1) await this.#run(`warm${round}`, options)
    await this.#client.query('SELECT pg_stat_statements_reset()')
  }

  async measure(round: number, options: Options): Promise<void> {
    await this.#client.query('VACUUM')
    await this.#client.query('CHECKPOINT')
    const before = { ...this.#cpu(), bytes: await this.#bytes(), place: await walPlace(this.#client) }
    const turns = await this.#run(`r${round}`, options)
    const after = { ...this.#cpu(), place: await walPlace(this.#client), bytes: await this.#bytes() }
    const wal = await walBetween(this.#client, before.place, after.place)
    this.wal.push(...wal)
    const sum = (of: (share: WalShare) => number): number => wal.reduce((total, share) => total + of(share), 0)
    this.costs.push({
      walKb: sum(({ bytes, pageBytes }) => bytes + pageBytes) / turns / 1000,
      pagesKb: sum(({ pageBytes }) => pageBytes) / turns / 1000,
      records: sum(({ records }) => records) / turns,
      commits: sum(({ kind, records }) => (kind.startsWith('Transaction COMMIT') ? records : 0)) / turns,
      rowsKb: (after.bytes - before.bytes) / turns / 1000,
      postgresMs: (after.postgres - before.postgres) / turns,
      serverMs: (after.server - before.server) / turns,
    })
  }

  async printDetails(turns: number): Promise<void> {
    console.log(
      `\n${this.name}: the log by relation and kind, then relations that grew, then statements; each per turn`,
    )
    printShares(this.wal, turns)
    for (const [relation, bytes] of await this.#sizes()) {
      const grown = bytes - (this.#first?.get(relation) ?? 0)
      if (grown > 0) console.log(`  ${show(grown / turns).padStart(7)} B  ${relation}`)
    }
    await printStatements(this.#client, turns)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#product[Symbol.dispose]()
    await this.#client.end()
    await this.#stage[Symbol.asyncDispose]()
  }

  async #sizes(): Promise<Map<string, number>> {
    const { rows } = await this.#client.query<{ relation: string; bytes: number }>(
      `SELECT c.relname::text AS relation, pg_relation_size(c.oid)::float8 AS bytes FROM pg_class c
       WHERE c.relkind IN ('r', 'i', 't') AND c.relnamespace IN ('public'::regnamespace, 'pg_toast'::regnamespace)
       ORDER BY 2 DESC`,
    )
    return new Map(rows.map(({ relation, bytes }) => [relation, bytes]))
  }

  async #bytes(): Promise<number> {
    const sizes = await this.#sizes()
    this.#first ??= sizes
    return [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0)
  }

  #cpu(): { readonly server: number; readonly postgres: number } {
    return { server: cpuMs(this.#stage.pid), postgres: postgresCpuMs(this.#stage.home) }
  }

  /** How many turns it was. */
  async #run(name: string, { mode, alone }: Options): Promise<number> {
    for (let n = 0; n < SESSIONS; n += alone ? 1 : AT_ONCE) {
      if (alone) await this.#product.answerTimes(`cli:${name}-${n}`, MESSAGES, { mode })
      else await this.#product.turnsPerSecond(`cli:${name}-${n}`, { mode, sessions: AT_ONCE })
    }
    await sleep(SETTLE_MS)
    return SESSIONS * MESSAGES
  }
}

const WHAT: Record<keyof Cost, string> = {
  walKb: 'WAL, kB',
  pagesKb: 'of which whole pages, kB',
  records: 'records',
  commits: 'commits',
  rowsKb: 'rows and indexes, kB',
  postgresMs: 'CPU of PostgreSQL, ms',
  serverMs: 'CPU of the server, ms',
}

/** Medians with the least and the most, and the ratios of the rounds. */
function printFigures(sides: readonly Side[], key: keyof Cost): void {
  const found = sides.map(({ costs }) => costs.map((cost) => cost[key]))
  const [before = [], after = []] = found
  const ratios = after.map((value, n) => value / (before[n] ?? 0))
  const ratio = ratios.length === 0 ? '' : `  ratio ${withSpread(ratios)}`
  console.log(`${WHAT[key].padEnd(26)} ${found.map(withSpread).join('  →  ')}${ratio}`)
}

function withSpread(values: readonly number[]): string {
  return `${show(median(values))} (${show(Math.min(...values))} to ${show(Math.max(...values))})`
}

async function main(options: Options): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const sides: Side[] = []
  for (const main of options.mains) sides.push(stack.use(await Side.start(main === MAIN ? 'after' : 'before', main)))
  for (const side of sides) await side.warmUp(options)
  for (let round = 0; round < options.rounds; round += 1) {
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) await side.measure(round, options)
  }
  for (const key of Object.keys(WHAT) as (keyof Cost)[]) printFigures(sides, key)
  if (options.details) for (const side of sides) await side.printDetails(options.rounds * SESSIONS * MESSAGES)
  console.log(`load ${loadavg().map(show).join(' ')}`)
}

const { values } = parseArgs({
  options: {
    main: { type: 'string' },
    rounds: { type: 'string', default: '4' },
    chat: { type: 'boolean', default: false },
    alone: { type: 'boolean', default: false },
    details: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) console.log(HELP)
else
  await main({
    mains: [...(values.main === undefined ? [] : [values.main]), MAIN],
    rounds: Number(values.rounds),
    mode: values.chat ? 'CHAT' : 'PLAN',
    alone: values.alone,
    details: values.details,
  })
