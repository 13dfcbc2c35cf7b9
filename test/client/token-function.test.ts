/** What the client makes of a function that gets no token. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { ClientError, connect } from '../../packages/client/src/connect.ts'

/** Port 9 discards: nothing is asked there in these tests. */
const URL_OF_NONE = 'http://127.0.0.1:9'

/** What a call ends with whose token function throws this. */
async function endWith(thrown: unknown): Promise<unknown> {
  const client = connect({
    url: URL_OF_NONE,
    patienceMs: 1,
    token: () => {
      throw thrown
    },
  })
  const end = await client
    .session('web:x')
    .view()
    .catch((error: unknown) => error)
  client.close()
  return end
}

test('a token function that fails is as a server that gives no answer', async () => {
  const cause = new Error('the issuer is away')
  const end = await endWith(cause)
  expect(end).toBeInstanceOf(ClientError)
  expect(end).toMatchObject({ code: 'UNREACHABLE', isPassing: true, cause })
  expect(end).toHaveProperty('message', 'No token: the issuer is away')
})

test('a token function may end calls for good, with a ClientError of its own', async () => {
  const ended = new ClientError('UNAUTHENTICATED', 'You are signed out.')
  expect(await endWith(ended)).toBe(ended)
})

/** A server that lets each token in once, and then says that it has ended; tokens of clients, as they came. */
async function tokensThatEnd(): Promise<{ readonly url: string; readonly came: string[] }> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => 'graphql-transport-ws' })
  onTestFinished(() => server.close())
  const came: string[] = []
  server.on('connection', (socket) =>
    socket.on('message', (data: Buffer) => {
      const { type, payload } = JSON.parse(data.toString()) as { type: string; payload: { authorization: string } }
      if (type === 'subscribe') return socket.close(4401, 'TOKEN_REMOVED: the token is not valid any more')
      if (type !== 'connection_init') return undefined
      const isKnown = came.includes(payload.authorization)
      came.push(payload.authorization)
      if (isKnown) return socket.close(4401, 'UNAUTHENTICATED: the token is not known')
      return socket.send(JSON.stringify({ type: 'connection_ack' }))
    }),
  )
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, came }
}

test('when a token ends, the function is asked for another; the same again is the end', async () => {
  const { url, came } = await tokensThatEnd()
  const tokens = ['one', 'two', 'two']
  const client = connect({ url, token: () => tokens.shift() ?? '' })
  const end = await client
    .session('web:x')
    .events({ after: 0 })
    .next()
    .catch((error: unknown) => error)
  client.close()
  expect(came).toEqual(['Bearer one', 'Bearer two', 'Bearer two'])
  expect(end).toMatchObject({ code: 'UNAUTHENTICATED' })
})
