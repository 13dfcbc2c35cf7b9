/**
 * How fast an event reaches many subscribers, and what an idle one costs: the door against a raw WebSocket broadcast of the
 * same bytes, in the same run, with the same client. `node bench/fan-out.ts`; needs two cores and 12 000 file descriptors.
 *
 * The client counts bytes, not messages: parsing what a thousand subscribers receive would cost more than sending it.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { systemClock } from '../src/platform/clock.ts'
import { createLogger } from '../src/platform/logger.ts'
import { startEmbeddedPostgres } from '../src/store/embedded-postgres.ts'
import { migrate } from '../src/store/migrate.ts'
import { createTemporaryHome } from '../test/harness/temporary-home.ts'
import { TOKEN, type Figures, type Order } from './fan-out-server.ts'

const QUERY =
  'subscription S($id: ID!, $after: Int) { sessionEvents(sessionId: $id, after: $after) { __typename seq ... on TaskOutputEvent { text } } }'
/** Makes events of about 150 bytes. */
const PADDING = 'x'.repeat(50)
const MEASURE_MS = 3000
const WARM_UP_MS = 1500

const LOADS: readonly Load[] = [
  { sessions: 1, subscribers: 1, window: 1 },
  { sessions: 1, subscribers: 100, window: 1 },
  { sessions: 1, subscribers: 1000, window: 1 },
  { sessions: 1, subscribers: 1000, window: 4 },
  { sessions: 1000, subscribers: 1000, window: 1 },
]

class Subject {
  readonly #child: ChildProcess
  readonly mode: 'door' | 'raw'
  readonly port: number

  private constructor(child: ChildProcess, mode: 'door' | 'raw', port: number) {
    this.#child = child
    this.mode = mode
    this.port = port
  }

  static async start(mode: 'door' | 'raw', databaseUrl: string): Promise<Subject> {
    const child = fork(new URL('fan-out-server.ts', import.meta.url), [mode, databaseUrl], {
      execArgv: ['--expose-gc'],
    })
    const [{ port }] = (await once(child, 'message')) as [{ port: number }]
    return new Subject(child, mode, port)
  }

  tell(order: Order): void {
    this.#child.send(order)
  }

  async measure(): Promise<Figures> {
    this.tell({ kind: 'measure' })
    const [figures] = (await once(this.#child, 'message')) as [Figures]
    return figures
  }

  async stop(): Promise<void> {
    this.#child.kill()
    await once(this.#child, 'exit')
  }
}

/** Sockets that have subscribed, and how many bytes they have received since. */
class Crowd {
  readonly sockets: Socket[] = []
  bytes = 0
  /** Called when bytes came; the first socket's text comes along, for the time it was sent. */
  onData: (fromFirst: string | null) => void = () => undefined

  async add(subject: Subject, sessionId: string): Promise<void> {
    const socket = connect(subject.port, '127.0.0.1').setNoDelay(true)
    await once(socket, 'connect')
    const key = randomBytes(16).toString('base64')
    socket.write(
      `GET /graphql HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n`,
    )
    await once(socket, 'data')
    if (subject.mode === 'door') {
      socket.write(maskedFrame({ type: 'connection_init', payload: { authorization: `Bearer ${TOKEN}` } }))
      await once(socket, 'data')
      const payload = { query: QUERY, variables: { id: sessionId, after: 100_000 } }
      socket.write(maskedFrame({ type: 'subscribe', id: '1', payload }))
    }
    const isFirst = this.sockets.length === 0
    this.sockets.push(socket)
    socket.on('error', () => socket.destroy())
    socket.on('data', (data: Buffer) => {
      this.bytes += data.length
      this.onData(isFirst ? data.toString('latin1') : null)
    })
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy()
    await sleep(500)
  }
}

function maskedFrame(message: object): Buffer {
  const payload = Buffer.from(JSON.stringify(message))
  const header = Buffer.alloc(payload.length < 126 ? 6 : 8)
  header[0] = 0x81
  header[1] = 0x80 | (payload.length < 126 ? payload.length : 126)
  if (payload.length >= 126) header.writeUInt16BE(payload.length, 2)
  // A mask of zeros leaves the payload as it is.
  return Buffer.concat([header, payload])
}

const now = (): number => performance.timeOrigin + performance.now()

interface Delivery {
  readonly perSecond: number
  readonly cpuMicros: number
  readonly p50Ms: number
  readonly p99Ms: number
}

interface Load {
  readonly sessions: number
  readonly subscribers: number
  /** Events under way at a time. 1: each event is delivered to all before the next; more: the server may send some together. */
  readonly window: number
}

/** Publishes to all of them, so many events at a time, and counts what arrives. */
async function deliver(
  subject: Subject,
  crowd: Crowd,
  { sessionIds, window }: { sessionIds: readonly string[]; window: number },
): Promise<Delivery> {
  const perRound = crowd.sockets.length
  // One event, to learn how long its frame is.
  crowd.bytes = 0
  subject.tell({ kind: 'publish', sessionIds, text: textOf() })
  while (crowd.bytes === 0) await sleep(50)
  await sleep(500)
  const roundBytes = crowd.bytes
  const latencies: number[] = []
  let sent = 0
  let measuring = false
  crowd.bytes = 0
  crowd.onData = (first) => {
    const at = first === null ? null : /t=(\d+\.\d+)/.exec(first)?.[1]
    if (measuring && at !== undefined && at !== null) latencies.push(now() - Number(at))
    while (sent < Math.floor(crowd.bytes / roundBytes) + window) {
      sent += 1
      subject.tell({ kind: 'publish', sessionIds, text: textOf() })
    }
  }
  crowd.onData(null)
  await sleep(WARM_UP_MS)
  const before = { ...(await subject.measure()), bytes: crowd.bytes, at: now() }
  measuring = true
  await sleep(MEASURE_MS)
  const after = { ...(await subject.measure()), bytes: crowd.bytes, at: now() }
  crowd.onData = () => undefined
  await sleep(300)
  const delivered = ((after.bytes - before.bytes) / roundBytes) * perRound
  const sorted = latencies.sort((a, b) => a - b)
  return {
    perSecond: delivered / ((after.at - before.at) / 1000),
    cpuMicros: ((after.cpuMs - before.cpuMs) * 1000) / delivered,
    p50Ms: sorted[Math.floor(sorted.length * 0.5)] ?? 0,
    p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? 0,
  }
}

/** Equally long each time. */
function textOf(): string {
  return `t=${now().toFixed(3)} ${PADDING}`
}

async function subscribeMany(subject: Subject, count: number, sessionOf: (n: number) => string): Promise<Crowd> {
  const crowd = new Crowd()
  for (let n = 0; n < count; n += 100) {
    await Promise.all(Array.from({ length: Math.min(100, count - n) }, (_, m) => crowd.add(subject, sessionOf(n + m))))
  }
  await sleep(1000)
  return crowd
}

async function compare(databaseUrl: string, { sessions, subscribers, window }: Load): Promise<void> {
  const ids = Array.from({ length: sessions }, (_, n) => `bench:${n}`)
  const found: Record<string, Delivery> = {}
  for (const mode of ['raw', 'door', 'raw', 'door'] as const) {
    const subject = await Subject.start(mode, databaseUrl)
    const crowd = await subscribeMany(subject, subscribers, (n) => ids[n % sessions] ?? '')
    const delivery = await deliver(subject, crowd, { sessionIds: mode === 'raw' ? ids.slice(0, 1) : ids, window })
    if ((found[mode]?.perSecond ?? 0) < delivery.perSecond) found[mode] = delivery
    await crowd.close()
    await subject.stop()
  }
  const { raw, door } = found
  if (raw === undefined || door === undefined) throw new Error('nothing was measured')
  console.log(
    [
      `${sessions} × ${subscribers / sessions}`.padEnd(9),
      String(window).padStart(6),
      Math.round(raw.perSecond).toString().padStart(9),
      Math.round(door.perSecond).toString().padStart(9),
      (door.perSecond / raw.perSecond).toFixed(2).padStart(6),
      `${raw.cpuMicros.toFixed(1)} / ${door.cpuMicros.toFixed(1)}`.padStart(13),
      `${raw.p50Ms.toFixed(1)} / ${door.p50Ms.toFixed(1)}`.padStart(13),
      `${raw.p99Ms.toFixed(1)} / ${door.p99Ms.toFixed(1)}`.padStart(13),
    ].join('  '),
  )
}

async function weigh(
  databaseUrl: string,
  mode: 'raw' | 'door',
  { count, sessions }: { count: number; sessions: number },
): Promise<number> {
  const subject = await Subject.start(mode, databaseUrl)
  const crowd = await subscribeMany(subject, 200, () => 'bench:0')
  const before = await subject.measure()
  const more = await subscribeMany(subject, count, (n) => `bench:${n % sessions}`)
  await sleep(2000)
  const after = await subject.measure()
  await Promise.all([crowd.close(), more.close()])
  await subject.stop()
  return (after.rssBytes - before.rssBytes) / count / 1000
}

/** (d) Delivery of one event to many, and (g) the memory of an idle subscriber, as tables on standard output. */
export async function measureFanOut(): Promise<void> {
  await using cleanup = new AsyncDisposableStack()
  const logger = createLogger({ level: 'warn', pretty: false })
  const home = cleanup.use(await createTemporaryHome())
  const postgres = await startEmbeddedPostgres({ home: home.path, logger, clock: systemClock })
  cleanup.defer(() => postgres.stop())
  await migrate(postgres.url, logger)
  const client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
  await client.query(
    `INSERT INTO sessions (id, source_kind, source_interactive, last_seq) SELECT 'bench:' || n, 'bench', true, 100000 FROM generate_series(0, 4999) n`,
  )
  await client.end()
  console.log('sessions × subscribers each, deliveries per second, better of two runs\n')
  console.log('           window        raw       door   ratio   CPU µs r / d    p50 ms r / d   p99 ms r / d')
  for (const load of LOADS) await compare(postgres.url, load)
  console.log('\nmemory per idle subscriber at 5 000, kB')
  console.log(`  raw                    ${(await weigh(postgres.url, 'raw', { count: 5000, sessions: 1 })).toFixed(1)}`)
  console.log(
    `  door, one session      ${(await weigh(postgres.url, 'door', { count: 5000, sessions: 1 })).toFixed(1)}`,
  )
  console.log(
    `  door, 5 000 sessions   ${(await weigh(postgres.url, 'door', { count: 5000, sessions: 5000 })).toFixed(1)}`,
  )
}

if (import.meta.main) await measureFanOut()
