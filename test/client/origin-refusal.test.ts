/** The client says that an origin is not taken where that is why a page gets no answer, and only there. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { WebSocketServer, type WebSocket } from 'ws'
import { connect } from '../../packages/client/src/connect.ts'
import { originRefusal } from '../../packages/client/src/origin-refusal.ts'

const URL_ = 'http://127.0.0.1:4000/graphql'

afterEach(() => {
  vi.unstubAllGlobals()
})

/** A page elsewhere. `answers`: what a browser lets it know of each attempt, by the mode of the request. */
function onPage(answers: (mode: RequestMode | undefined, nth: number, path: string) => boolean): void {
  let nth = 0
  vi.stubGlobal('location', { origin: 'http://127.0.0.1:5173' })
  vi.stubGlobal('fetch', async ({ pathname }: URL, { mode }: RequestInit) => {
    if (!answers(mode, (nth += 1), pathname)) throw new TypeError('Failed to fetch')
    return new Response()
  })
}

test('the server answers, but not to this page', async () => {
  onPage((mode) => mode === 'no-cors')
  expect(await originRefusal(URL_)).toMatchObject({ code: 'FORBIDDEN', message: expect.stringContaining(':5173') })
})

test('the server answers this page, but at another path', async () => {
  onPage((mode, _, path) => mode === 'no-cors' || path === '/client.tgz')
  expect(await originRefusal('http://127.0.0.1:4000/api/graphql')).toMatchObject({
    code: 'BAD_RESPONSE',
    message:
      'There is no Factotum at http://127.0.0.1:4000/api/graphql. Its "url" is http://127.0.0.1:4000, without a path.',
  })
})

test('below a path, an origin that is not taken is why', async () => {
  onPage((mode) => mode === 'no-cors')
  expect(await originRefusal('http://127.0.0.1:4000/api/graphql')).toMatchObject({ code: 'FORBIDDEN' })
})

test.each(['localhost:4000', '127.0.0.1:4000', 'ws://127.0.0.1:4000', '/graphql', ''])(
  'an address without "http://" is refused at once: "%s"',
  (url) => {
    expect(() => connect({ url, token: 't' })).toThrow(`url: "${url}" is no http(s) URL.`)
  },
)

test.each<[string, (mode: RequestMode | undefined, nth: number) => boolean]>([
  ['the server is away', () => false],
  ['the page may read its answers', () => true],
  ['the network comes back between two attempts', (_, nth) => nth > 1],
])('%s: that is not why', async (_, answers) => {
  onPage(answers)
  expect(await originRefusal(URL_)).toBeNull()
})

const ANSWER = JSON.stringify({ data: { session: null } })

/**
 * A server, and the proxy before it, which answers the call with that number, and all that a page of another origin
 * asks without a token, in the server's place: without the header that lets the page read it.
 */
async function startBehindProxy({ awayAtCall }: { readonly awayAtCall: number }): Promise<string> {
  let calls = 0
  const server = createServer((request, response) => {
    request.resume()
    if (request.method === 'POST') calls += 1
    if (request.method !== 'POST' || calls === awayAtCall) response.writeHead(502).end()
    else response.writeHead(200, { 'access-control-allow-origin': '*' }).end(ANSWER)
  }).listen(0, '127.0.0.1')
  const sockets = new WebSocketServer({ server, handleProtocols: () => 'graphql-transport-ws' })
  sockets.on('connection', (socket: WebSocket) =>
    socket.on('message', (data: Buffer) => {
      if (data.includes('connection_init')) socket.send(JSON.stringify({ type: 'connection_ack' }))
    }),
  )
  onTestFinished(() => {
    for (const socket of sockets.clients) socket.terminate()
    server.close()
    server.closeAllConnections()
  })
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A page elsewhere, whose browser hides the answers that no header lets it read. */
function onPageElsewhere(): void {
  const { fetch } = globalThis
  vi.stubGlobal('location', { origin: 'http://127.0.0.1:5173' })
  vi.stubGlobal('fetch', async (url: string | URL, init: RequestInit) => {
    const response = await fetch(url, init)
    if (init.mode === 'no-cors' || response.headers.has('access-control-allow-origin')) return response
    throw new TypeError('Failed to fetch')
  })
}

test('a proxy that answers for a server which this page has called is no refusal of its origin', async () => {
  onPageElsewhere()
  const client = connect({ url: await startBehindProxy({ awayAtCall: 2 }), token: 't' })
  onTestFinished(() => client.close())
  expect(await client.session('web:x').view()).toBeNull()
  expect(await client.session('web:x').view()).toBeNull()
})

test('a proxy that answers for a server which this page follows is no refusal of its origin', async () => {
  onPageElsewhere()
  const client = connect({ url: await startBehindProxy({ awayAtCall: 1 }), token: 't' })
  onTestFinished(() => client.close())
  const following = client.session('web:x').events().next()
  await expect.poll(() => client.connectionState).toBe('open')
  expect(await client.session('web:x').view()).toBeNull()
  client.close()
  await following
})
