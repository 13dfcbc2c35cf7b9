/**
 * (d) How fast an event reaches many subscribers, and (g) what an idle one costs: the door against a raw WebSocket
 * broadcast of the same bytes, in the same run, with the same client. Needs two cores and 12 000 file descriptors.
 *
 * Events are published where a turn's commit publishes them (`feed.published`), without being rows, since it is
 * delivery that is measured here; neighbour.ts measures the whole way.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { systemClock } from '../src/platform/clock.ts'
import { createLogger } from '../src/platform/logger.ts'
import { startEmbeddedPostgres } from '../src/postgres/embedded-postgres.ts'
import { migrate } from '../src/store/connection/migrate.ts'
import { createTemporaryHome } from '../test/harness/temporary-home.ts'
import { Crowd, CROWD_TOKEN, nowMs, timedText, type Target } from './crowd.ts'
import type { Figures, Order } from './fan-out-server.ts'
import { median, percentile, show } from './figures.ts'
import type { Row } from './table.ts'

const WARM_UP_MS = 1500
/** What the sessions of these tests pretend to have as their last seq. */
const LAST_SEQ = 100_000
const IDLE_SUBSCRIBERS = 5000

interface Load {
  readonly sessions: number
  readonly subscribers: number
  /**
   * Events under way at a time. 1: each event is delivered to all before the next; more: the server may send some
   * together.
   */
  readonly window: number
  /** Each subscriber calls its operation as no other does; the raw broadcast's frames are as they were. */
  readonly ids?: 'uuid'
}

const LOADS: readonly Load[] = [
  { sessions: 1, subscribers: 1, window: 1 },
  { sessions: 1, subscribers: 100, window: 1 },
  { sessions: 1, subscribers: 1000, window: 1 },
  { sessions: 1, subscribers: 1000, window: 1, ids: 'uuid' },
  { sessions: 1, subscribers: 1000, window: 4 },
  { sessions: 1000, subscribers: 1000, window: 1 },
]

export interface FanOutOptions {
  /** How often door and raw broadcast take turns. */
  readonly rounds: number
  readonly measureMs: number
}

class Subject {
  readonly #child: ChildProcess
  readonly target: Target

  private constructor(child: ChildProcess, target: Target) {
    this.#child = child
    this.target = target
  }

  static async start(mode: 'door' | 'raw', databaseUrl: string): Promise<Subject> {
    const child = fork(new URL('fan-out-server.ts', import.meta.url), [mode, databaseUrl], {
      execArgv: ['--expose-gc'],
    })
    const [{ port }] = (await once(child, 'message')) as [{ port: number }]
    return new Subject(child, { port, token: mode === 'door' ? CROWD_TOKEN : null })
  }

  instruct(order: Order): void {
    this.#child.send(order)
  }

  async measure(): Promise<Figures> {
    this.instruct({ kind: 'measure' })
    const [figures] = (await once(this.#child, 'message')) as [Figures]
    return figures
  }

  async stop(): Promise<void> {
    this.#child.kill()
    await once(this.#child, 'exit')
  }
}

export async function measureFanOut(options: FanOutOptions): Promise<Row[]> {
  await using base = await openDatabase()
  const rows: Row[] = []
  for (const load of LOADS) rows.push(await compare(base.url, load, options))
  return rows
}

/** (g) The memory of an idle subscriber. */
export async function measureIdleSubscribers(): Promise<Row[]> {
  await using base = await openDatabase()
  const raw = await weigh(base.url, 'raw', 1)
  const rows: Row[] = []
  for (const sessions of [1, IDLE_SUBSCRIBERS]) {
    const door = await weigh(base.url, 'door', sessions)
    rows.push({
      what: `(g) idle subscriber, kB, ${show(IDLE_SUBSCRIBERS)} of ${sessions === 1 ? '1 session' : 'as many sessions'}`,
      value: show(door),
      floor: show(raw),
      ratio: show(door / raw),
      note: '',
    })
  }
  return rows
}

interface Delivery {
  readonly perSecond: number
  readonly cpuMicros: number
  readonly latenciesMs: readonly number[]
}

async function compare(databaseUrl: string, load: Load, options: FanOutOptions): Promise<Row> {
  const found = { raw: [] as Delivery[], door: [] as Delivery[] }
  for (let round = 0; round < options.rounds; round += 1) {
    for (const mode of ['raw', 'door'] as const) {
      found[mode].push(await deliverTo(mode, databaseUrl, { ...load, measureMs: options.measureMs }))
    }
  }
  const rate = (of: readonly Delivery[]): number => median(of.map(({ perSecond }) => perSecond))
  const figures = (of: readonly Delivery[]): string => {
    const latencies = of.flatMap(({ latenciesMs }) => latenciesMs)
    const cpu = show(median(of.map(({ cpuMicros }) => cpuMicros)))
    return `${show(median(latencies))} ms, p99 ${show(percentile(latencies, 0.99))} ms, ${cpu} µs`
  }
  const { sessions, subscribers, window, ids } = load
  return {
    what: `(d) deliveries per second, ${show(sessions)} × ${show(subscribers / sessions)}${window > 1 ? `, ${window} at once` : ''}${ids === undefined ? '' : ', ids that differ'}`,
    value: show(rate(found.door)),
    floor: show(rate(found.raw)),
    // Of neighbours in time, so that a noisy minute hits both.
    ratio: show(median(found.door.map(({ perSecond }, n) => perSecond / (found.raw[n]?.perSecond ?? 0)))),
    note: `each: ${figures(found.door)} of CPU; raw: ${figures(found.raw)}`,
  }
}

async function deliverTo(
  mode: 'raw' | 'door',
  databaseUrl: string,
  { sessions, subscribers, window, ids: differ, measureMs }: Load & { measureMs: number },
): Promise<Delivery> {
  const ids = Array.from({ length: sessions }, (_, n) => `bench:${n}`)
  const subject = await Subject.start(mode, databaseUrl)
  const crowd = new Crowd(subject.target, differ)
  await crowd.add(subscribers, (n) => ids[n % sessions] ?? '', LAST_SEQ)
  const sessionIds = mode === 'raw' ? ids.slice(0, 1) : ids
  const delivery = await deliver(subject, crowd, { sessionIds, window, measureMs })
  await crowd.close()
  await subject.stop()
  return delivery
}

/** Publishes to all of them, so many events at a time, and counts what arrives. */
async function deliver(
  subject: Subject,
  crowd: Crowd,
  { sessionIds, window, measureMs }: { sessionIds: readonly string[]; window: number; measureMs: number },
): Promise<Delivery> {
  const perRound = crowd.sockets.length
  const publish = (): void => subject.instruct({ kind: 'publish', sessionIds, text: timedText() })
  // One event, to learn how long its frame is.
  crowd.bytes = 0
  publish()
  while (crowd.bytes === 0) await sleep(50)
  await sleep(500)
  const roundBytes = crowd.bytes
  const latenciesMs: number[] = []
  let sent = 0
  let measuring = false
  crowd.bytes = 0
  crowd.onData = (sentAtMs) => {
    if (measuring && sentAtMs !== null) latenciesMs.push(nowMs() - sentAtMs)
    for (; sent < Math.floor(crowd.bytes / roundBytes) + window; sent += 1) publish()
  }
  crowd.onData(null)
  await sleep(WARM_UP_MS)
  const before = { ...(await subject.measure()), bytes: crowd.bytes, atMs: nowMs() }
  measuring = true
  await sleep(measureMs)
  const after = { ...(await subject.measure()), bytes: crowd.bytes, atMs: nowMs() }
  crowd.onData = () => undefined
  await sleep(300)
  const delivered = ((after.bytes - before.bytes) / roundBytes) * perRound
  return {
    perSecond: (delivered * 1000) / (after.atMs - before.atMs),
    cpuMicros: ((after.cpuMs - before.cpuMs) * 1000) / delivered,
    latenciesMs,
  }
}

async function weigh(databaseUrl: string, mode: 'raw' | 'door', sessions: number): Promise<number> {
  const subject = await Subject.start(mode, databaseUrl)
  const [warmUp, crowd] = [new Crowd(subject.target), new Crowd(subject.target)]
  await warmUp.add(200, () => 'bench:0', LAST_SEQ)
  const before = await subject.measure()
  await crowd.add(IDLE_SUBSCRIBERS, (n) => `bench:${n % sessions}`, LAST_SEQ)
  await sleep(2000)
  const after = await subject.measure()
  await Promise.all([warmUp.close(), crowd.close()])
  await subject.stop()
  return (after.rssBytes - before.rssBytes) / IDLE_SUBSCRIBERS / 1000
}

async function openDatabase(): Promise<{ readonly url: string } & AsyncDisposable> {
  await using cleanup = new AsyncDisposableStack()
  const logger = createLogger({ level: 'warn', pretty: false })
  const home = cleanup.use(await createTemporaryHome())
  const postgres = await startEmbeddedPostgres({ home: home.path, logger, clock: systemClock })
  cleanup.defer(() => postgres.stop())
  await migrate(postgres.url, { logger, clock: systemClock })
  const client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
  await client.query(
    `INSERT INTO sessions (id, source_kind, source_interactive, last_seq)
     SELECT 'bench:' || n, 'bench', true, ${LAST_SEQ} FROM generate_series(0, ${IDLE_SUBSCRIBERS - 1}) n`,
  )
  await client.end()
  const owned = cleanup.move()
  return { url: postgres.url, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}
