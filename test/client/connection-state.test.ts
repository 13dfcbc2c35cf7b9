/** What a client says of its connection: never that it is lost while nothing waits for it. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { connect, type FactotumClient } from '../../packages/client/src/connect.ts'

/** A server that takes every subscription and says nothing, or lets no client in. */
async function startServer({ refuses = false }: { readonly refuses?: boolean } = {}) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => 'graphql-transport-ws' })
  server.on('connection', (socket) =>
    socket.on('message', (data: Buffer) => {
      const { type } = JSON.parse(data.toString()) as { type: string }
      if (type !== 'connection_init') return
      if (refuses) socket.close(4401, 'UNAUTHENTICATED: The token is not known.')
      else socket.send(JSON.stringify({ type: 'connection_ack' }))
    }),
  )
  await once(server, 'listening')
  const stop = (): void => {
    for (const socket of server.clients) socket.terminate()
    server.close()
  }
  onTestFinished(stop)
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop, sockets: server.clients }
}

function clientOf(url: string): FactotumClient {
  const client = connect({ url, token: 't' })
  onTestFinished(() => client.close())
  return client
}

test('it is offline while what is followed waits for a lost connection, and idle once nothing is', async () => {
  const server = await startServer()
  const client = clientOf(server.url)
  expect(client.connectionState).toBe('idle')
  const ended = new AbortController()
  const [one, two] = [1, 2].map((after) => client.session('web:x').events({ after, signal: ended.signal }).next())
  await expect.poll(() => client.connectionState).toBe('open')
  server.stop()
  await expect.poll(() => client.connectionState).toBe('offline')
  ended.abort()
  expect(await Promise.all([one, two])).toMatchObject([{ done: true }, { done: true }])
  expect(client.connectionState).toBe('idle')
})

test('it is idle after what was followed is refused for good', async () => {
  const { url } = await startServer({ refuses: true })
  const client = clientOf(url)
  const refused = { code: 'UNAUTHENTICATED', message: 'The token is not known.' }
  await expect(client.session('web:x').events().next()).rejects.toMatchObject(refused)
  expect(client.connectionState).toBe('idle')
})

test('of several connections one that is lost is waited for', async () => {
  const { url, sockets } = await startServer()
  const client = clientOf(url)
  const states: string[] = []
  client.watchConnection(() => states.push(client.connectionState))
  const read = Array.from({ length: 150 }, (_, n) => client.session(`web:${n}`).events({ after: 1 }).next())
  await expect.poll(() => sockets.size).toBe(2)
  await expect.poll(() => states).toEqual(['connecting', 'open'])
  const [, second] = sockets
  second?.terminate()
  await expect.poll(() => states).toEqual(['connecting', 'open', 'offline', 'open'])
  expect(sockets.size).toBe(2)
  client.close()
  expect((await Promise.all(read)).every(({ done }) => done)).toBe(true)
  await expect.poll(() => states.at(-1)).toBe('idle')
})

test('a subscription that is larger than a message may be is refused, and those beside it go on', async () => {
  const { url, sockets } = await startServer()
  const client = clientOf(url)
  const read = client.session('web:x').events({ after: 1 }).next()
  await expect.poll(() => client.connectionState).toBe('open')
  const document = { toString: () => `subscription { listUpdates } # ${'é'.repeat(33_000)}` }
  const refused = { code: 'BAD_REQUEST', message: 'A subscription has at most 64 kB.' }
  await expect(client.subscribe(document, {}).next()).rejects.toMatchObject(refused)
  expect([client.connectionState, sockets.size]).toEqual(['open', 1])
  client.close()
  expect(await read).toMatchObject({ done: true })
})
