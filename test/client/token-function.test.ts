/** What the client makes of a function that gets no token. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
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
async function tokensThatEnd() {
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
      if (isKnown) return socket.close(4401, 'UNAUTHENTICATED: The token is not known.')
      return socket.send(JSON.stringify({ type: 'connection_ack' }))
    }),
  )
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, came, sockets: server.clients }
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

/** Gives nothing at first, and then a token. */
function firstInVain(): { readonly token: () => string | Promise<string>; readonly asked: () => number } {
  let count = 0
  const token = (): string | Promise<string> => ((count += 1) === 1 ? new Promise<string>(() => {}) : 'one')
  return { token, asked: () => count }
}

/** Makes deadlines those of a machine whose time flies. */
function shortenDeadlines(): void {
  const timeout = AbortSignal.timeout.bind(AbortSignal)
  const spy = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout(ms / 400))
  onTestFinished(() => spy.mockRestore())
}

test('a call whose token function never settles ends, and says what to change', async () => {
  shortenDeadlines()
  const client = connect({ url: URL_OF_NONE, token: () => new Promise<string>(() => {}) })
  onTestFinished(() => client.close())
  const error = { code: 'UNREACHABLE', isPassing: true, message: expect.stringMatching(/^No token: .* a deadline/) }
  await expect(client.session('web:x').cancel()).rejects.toMatchObject(error)
  await expect(client.session('web:x').upload('a.txt', 'a')).rejects.toMatchObject(error)
})

test('a call that is given up, or whose client is closed, no longer waits for its token', async () => {
  const client = connect({ url: URL_OF_NONE, token: () => new Promise<string>(() => {}) })
  const enough = new Error('enough')
  await expect(client.session('web:x').view({ signal: AbortSignal.abort(enough) })).rejects.toBe(enough)
  const waiting = client.session('web:x').view()
  client.close()
  await expect(waiting).rejects.toMatchObject({ name: 'AbortError' })
})

test('a subscription whose token function does not settle asks it again', async () => {
  const { url, came } = await tokensThatEnd()
  const { token, asked } = firstInVain()
  shortenDeadlines()
  const client = connect({ url, token })
  await expect(client.session('web:x').events().next()).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
  client.close()
  expect(asked()).toBeGreaterThan(1)
  expect(new Set(came)).toEqual(new Set(['Bearer one']))
})

test('no socket waits for a token: a server lets none wait for longer than three seconds', async () => {
  const { url, came, sockets } = await tokensThatEnd()
  const waiting: number[] = []
  const token = (): string => {
    waiting.push(sockets.size)
    return 'one'
  }
  const client = connect({ url, token })
  await expect(client.session('web:x').events().next()).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
  client.close()
  expect(came).toEqual(['Bearer one', 'Bearer one'])
  expect(waiting).toEqual([0, 0])
})
