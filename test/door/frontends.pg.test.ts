/** What frontends' libraries send: where they put the token, from which page, and how they resume. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CONFIG, createDoorWorld, createSession, output, tokenOf, type Door, type DoorWorld } from './door-world.ts'
import { RawSocket } from './raw-socket.ts'
import { FOLLOW } from './watch.ts'

let world: DoorWorld
let door: Door
beforeAll(async () => {
  world = await createDoorWorld()
  door = await world.openDoor({ config: `${CONFIG}cors_origins = ["https://app.example"]\n` })
})
afterAll(() => world[Symbol.asyncDispose]())

const token = tokenOf('alice')
const authorization = `Bearer ${token}`

describe('the token in connectionParams', () => {
  test.each([
    { Authorization: authorization },
    { authorization },
    { headers: { Authorization: authorization } },
    { headers: { authorization } },
    { token },
    { token: authorization },
  ])('%j', async (payload) => {
    const socket = await RawSocket.connect(door.webSocketUrl)
    socket.send({ type: 'connection_init', payload })
    await socket.until(({ type }) => type === 'connection_ack')
    expect(socket.received).toEqual([{ type: 'connection_ack' }])
    await socket.close()
  })

  test.each([{ token: 'nobody' }, { token: 7 }, { headers: 'x' }, { headers: { Authorization: token } }, {}])(
    'not %j: closed with 4401, which libraries do not retry',
    async (payload) => {
      const socket = await RawSocket.connect(door.webSocketUrl)
      socket.send({ type: 'connection_init', payload })
      expect(await socket.closed).toContain('4401')
    },
  )
})

describe('pages of other websites', () => {
  const openSocket = async (to: Door, origin: string): Promise<boolean> =>
    RawSocket.connect(to.webSocketUrl, { origin }).then(
      (socket) => socket.close().then(() => true),
      () => false,
    )

  test('those that this machine serves may, outside production alone', async () => {
    const atHome = await world.openDoor({ production: false })
    expect(await openSocket(atHome, 'http://localhost:5173')).toBe(true)
    expect(await openSocket(door, 'http://localhost:5173')).toBe(false)
    expect(await openSocket(atHome, 'https://evil.example')).toBe(false)
  })

  test('listed ones read published files, and may send any header', async () => {
    const ask = (origin: string, method = 'GET'): Promise<Response> =>
      fetch(`${door.url}/pub/nothing`, { method, headers: { origin, 'access-control-request-headers': 'range,x-own' } })
    expect((await ask('https://app.example')).headers.get('access-control-allow-origin')).toBe('https://app.example')
    expect((await ask('https://evil.example')).headers.get('access-control-allow-origin')).toBeNull()
    const preflight = await ask('https://app.example', 'OPTIONS')
    expect([preflight.status, preflight.headers.get('access-control-allow-headers')]).toEqual([204, 'range,x-own'])
    expect((await ask('https://evil.example', 'OPTIONS')).status).toBe(405)
  })

  test.each(['/v1/models', '/agui', '/mcp', '/graphql'])(
    'listed ones read the headers of %s that they need',
    async (path) => {
      const ask = async (origin: string): Promise<string | null> => {
        const answer = await fetch(`${door.url}${path}`, {
          method: 'POST',
          headers: { origin, authorization },
          body: '{}',
        })
        return answer.headers.get('access-control-expose-headers')
      }
      const exposed = (await ask('https://app.example'))?.split(/, ?/)
      const session = path === '/graphql' ? [] : ['x-factotum-session']
      expect(exposed).toEqual(['x-request-id', 'retry-after', ...session])
      expect(await ask('https://evil.example')).toBeNull()
    },
  )
})

describe('server-sent events', () => {
  async function read(id: string, headers: Record<string, string>, until: string): Promise<string> {
    const abort = new AbortController()
    const response = await fetch(`${door.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream', authorization, ...headers },
      body: JSON.stringify({ query: FOLLOW, variables: { id, after: 0 } }),
      signal: abort.signal,
    })
    let text = ''
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk
      if (text.includes(until)) break
    }
    abort.abort()
    return text
  }

  test('carry their seq as id, and go on behind the last one that the client names', async () => {
    await createSession(door.database, 'cli:ids')
    await door.append('cli:ids', output('a'), output('b'), output('c'))
    const all = await read('cli:ids', {}, '"seq":3')
    expect([...all.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id))).toEqual([1, 2, 3])
    const rest = await read('cli:ids', { 'last-event-id': '2' }, '"seq":3')
    expect([...rest.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id))).toEqual([3])
    // What is no id of ours is as if it were not there.
    expect(await read('cli:ids', { 'last-event-id': 'x' }, '"seq":3')).toContain('id: 1\n')
  })
})
