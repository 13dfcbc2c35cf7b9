/**
 * The server side of fan-out.ts, in a process of its own: the door (mode "door"), or the least that can broadcast over
 * WebSocket (mode "raw"): one prepared frame written to every socket. Driven by messages of the parent.
 */
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { viewerOf } from '../src/config/access/authenticate.ts'
import { parseConfig } from '../src/config/parse-config.ts'
import { Doorbell } from '../src/events/doorbell.ts'
import { Uploads } from '../src/execution/workspace/uploads.ts'
import { Feed } from '../src/events/feed.ts'
import { Batch } from '../src/graphql/live/batch.ts'
import { createContext } from '../src/graphql/context.ts'
import { buildSchema } from '../src/graphql/schema/schema.ts'
import { startServer } from '../src/graphql/server.ts'
import { systemClock as clock, type Clock } from '../src/platform/clock.ts'
import { createLogger } from '../src/platform/logger.ts'
import { createMetrics } from '../src/platform/metrics.ts'
import { Database } from '../src/store/database.ts'
import { bareServices } from '../test/harness/bare-services.ts'
import { CROWD_TOKEN } from './crowd.ts'
import { TIMING } from '../src/config/timing.ts'

/** What the parent asks; each is answered with `Answer`. */
export type Order =
  | { readonly kind: 'publish'; readonly sessionIds: readonly string[]; readonly text: string }
  | { readonly kind: 'measure' }

export interface Figures {
  readonly rssBytes: number
  readonly cpuMs: number
}

const CONFIG = `
[users.alice]
role = "admin"
[tokens.alice]
kind = "user"
user = "alice"
token = "${CROWD_TOKEN}"
[settings]
requests_per_minute = 1000000
`

const [mode = 'door', databaseUrl = ''] = process.argv.slice(2)
const publish = mode === 'raw' ? await serveRaw() : await serveDoor()

process.on('message', (order: Order) => {
  if (order.kind === 'publish') publish(order.sessionIds, order.text)
  else process.send?.(measure())
})

function measure(): Figures {
  globalThis.gc?.()
  const { user, system } = process.cpuUsage()
  return { rssBytes: process.memoryUsage().rss, cpuMs: (user + system) / 1000 }
}

type Publish = (sessionIds: readonly string[], text: string) => void

async function serveDoor(): Promise<Publish> {
  const logger = createLogger({ level: 'silent', pretty: false })
  const parsed = parseConfig(CONFIG, { production: false })
  if (parsed.kind === 'invalid') throw new Error(JSON.stringify(parsed.problems))
  const config = { current: () => parsed.config, onChange: () => () => undefined }
  const database = new Database({ url: databaseUrl, maxConnections: 10, logger })
  const doorbell = new Doorbell({ url: databaseUrl, logger, clock })
  // Events are published without being rows, as it is delivery that is measured: no query for rows may run.
  const noLook: Clock = {
    ...clock,
    sleep: (_ms, signal) => new Promise((resolve) => signal?.addEventListener('abort', () => resolve())),
  }
  const feed = new Feed({ database, doorbell, timing: TIMING, logger, clock: noLook })
  await doorbell.start()
  feed.start()
  const services = bareServices({ database, config, doorbell, feed, clock, logger })
  const server = await startServer({
    schema: buildSchema(),
    home: '/nowhere',
    intake: services.intake,
    uploads: new Uploads({ home: '/nowhere', database }),
    host: '127.0.0.1',
    port: 0,
    authenticate: (credential) => viewerOf(parsed.config, credential),
    logins: null,
    denials: { ...services.denials, unknownToken: () => undefined },
    createContext: (request) => createContext(services, request),
    readiness: {},
    graphiqlPage: null,
    plugins: [],
    production: true,
    metrics: createMetrics(),
    config,
    feed,
    doorbell,
    database,
    logger,
    clock,
  })
  const seqs = new Map<string, number>()
  process.send?.({ port: server.port })
  return (sessionIds, text) => {
    for (const sessionId of sessionIds) {
      // Six digits from the start, so that all events are equally long.
      const seq = (seqs.get(sessionId) ?? 100_000) + 1
      seqs.set(sessionId, seq)
      const body = { type: 'TaskOutput', taskId: 'task_01jd0000000000000000000000', stream: 'STDOUT', text } as const
      feed.published([{ ...body, seq, at: new Date(), sessionId, turnId: 'turn_01jd0000000000000000000000' }])
    }
  }
}

async function serveRaw(): Promise<Publish> {
  const sockets = new Set<Socket>()
  const server = createServer()
  server.on('upgrade', (request, socket: Socket) => {
    const key = `${request.headers['sec-websocket-key'] ?? ''}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`
    const accept = createHash('sha1').update(key).digest('base64')
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    )
    socket.setNoDelay(true)
    sockets.add(socket)
    socket.on('data', () => undefined)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  process.send?.({ port: (server.address() as AddressInfo).port })
  let seq = 100_000
  return (_sessionIds, text) => {
    seq += 1
    // The bytes that the door sends for the same event.
    const payload = `{"data":{"sessionEvents":{"__typename":"TaskOutputEvent","seq":${seq},"text":"${text}"}}}`
    let frame = Buffer.alloc(0)
    const write = (bytes: string): Buffer => (frame = Buffer.from(bytes, 'latin1'))
    new Batch([{ seq: 1, payload }]).writeFrames({ write } as never, '"1"')
    for (const socket of sockets) socket.write(frame)
  }
}
