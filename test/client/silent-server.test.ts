/** What a client does with a server, or a proxy, that takes its connection and is silent: it comes back elsewhere. */
import { once } from 'node:events'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { WebSocket as PackageWebSocket, WebSocketServer, type WebSocket as ServerSocket } from 'ws'
import { connect, type ConnectOptions, type FactotumClient } from '../../packages/client/src/connect.ts'

const WITHIN_MS = 12_000

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
})

const urlOf = (server: Server | WebSocketServer): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

function clientOf(options: ConnectOptions): FactotumClient {
  const client = connect({ token: 't', ...options })
  onTestFinished(() => client.close())
  return client
}

/** Passes time until then; how much, in milliseconds. */
async function until(isThere: () => boolean): Promise<number> {
  let passedMs = 0
  for (; !isThere(); passedMs += 50) {
    await vi.advanceTimersByTimeAsync(50)
    await setImmediate()
  }
  return passedMs
}

/** Takes TCP connections, and says nothing. */
async function startSilent() {
  const open: Socket[] = []
  const server = createServer((socket) => open.push(socket.on('error', () => {}).resume()))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of open) socket.destroy()
    server.close()
  })
  return { url: urlOf(server), open }
}

/** Speaks WebSocket; `take` gets each message. */
async function startServer(take: (socket: ServerSocket, message: { type: string; id: string }) => void) {
  const open: ServerSocket[] = []
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => 'graphql-transport-ws' })
  server.on('connection', (socket) => {
    open.push(socket)
    socket.on('message', (data: Buffer) => take(socket, JSON.parse(data.toString()) as { type: string; id: string }))
  })
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of open) socket.terminate()
    server.close()
  })
  return { url: urlOf(server), open }
}

const PLATFORMS = [
  ['the platform', {}],
  ['the package "ws"', { webSocketImpl: PackageWebSocket }],
] as const

test.each(PLATFORMS)('a WebSocket of %s that does not open is given up, and tried again', async (_of, platform) => {
  const { url, open } = await startSilent()
  const client = clientOf({ url, ...platform })
  const read = client.session('web:x').events({ after: 1 }).next()
  expect(await until(() => client.connectionState === 'offline')).toBeLessThanOrEqual(WITHIN_MS)
  await until(() => open.length === 2)
  expect(client.connectionState).toBe('offline')
  client.close()
  expect(await read).toMatchObject({ done: true })
})

test.each(PLATFORMS)('so is one of %s on which nothing is answered', async (_of, platform) => {
  const { url, open } = await startServer(() => {})
  const client = clientOf({ url, ...platform })
  const read = client.session('web:x').events({ after: 1 }).next()
  expect(await until(() => client.connectionState === 'offline')).toBeLessThanOrEqual(WITHIN_MS)
  await until(() => open.length === 2)
  client.close()
  expect(await read).toMatchObject({ done: true })
})

test('a connection over which events come is alive, also while its pong is behind them', async () => {
  let isPinged = false
  const subscribed = Promise.withResolvers<(seq: number) => void>()
  const { url, open } = await startServer((socket, { type, id }) => {
    if (type === 'connection_init') socket.send(JSON.stringify({ type: 'connection_ack' }))
    if (type === 'ping') isPinged = true
    const payload = (seq: number) => ({ data: { sessionEvents: { __typename: 'TurnPausedEvent', seq } } })
    const show = (seq: number): void => socket.send(JSON.stringify({ type: 'next', id, payload: payload(seq) }))
    if (type === 'subscribe') subscribed.resolve(show)
  })
  const client = clientOf({ url })
  const events = client.session('web:x').events({ after: 0 })
  const first = events.next()
  const show = await subscribed.promise
  show(1)
  expect(await first).toMatchObject({ value: { seq: 1 } })
  await until(() => isPinged)
  for (const seq of [2, 3, 4, 5]) {
    await vi.advanceTimersByTimeAsync(4000)
    const next = events.next()
    show(seq)
    expect(await next).toMatchObject({ value: { seq } })
  }
  expect([client.connectionState, open.length]).toEqual(['open', 1])
  const last = events.next()
  await until(() => client.connectionState === 'offline')
  client.close()
  expect(await last).toMatchObject({ done: true })
})

test('a connection over which one event comes slowly is given longer, until it has come', async () => {
  const { url, open } = await startServer((socket, { type, id }) => {
    if (type === 'connection_init') socket.send(JSON.stringify({ type: 'connection_ack' }))
    const payload = { data: { sessionEvents: { __typename: 'TurnPausedEvent', seq: 1 } } }
    // What else the server sends, such as a pong, is behind it.
    if (type === 'subscribe') setTimeout(() => socket.send(JSON.stringify({ type: 'next', id, payload })), 40_000)
  })
  const client = clientOf({ url })
  const read = client.session('web:x').events({ after: 0 }).next()
  let isRead = false
  void read.then(() => (isRead = true))
  await until(() => isRead || open.length > 5)
  client.close()
  expect(await read).toMatchObject({ value: { seq: 1 } })
})
