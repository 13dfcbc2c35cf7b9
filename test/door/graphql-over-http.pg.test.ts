import { request as httpRequest } from 'node:http'
import { auditServer } from 'graphql-http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CONFIG, createDoorWorld, createSession, tokenOf, type Door, type DoorWorld } from './door-world.ts'

let world: DoorWorld
let door: Door
beforeAll(async () => {
  world = await createDoorWorld()
  door = await world.openDoor({ graphiqlPage: async () => '<!doctype html><title>GraphiQL</title>' })
  await createSession(door.database, 'cli:one')
})
afterAll(() => world[Symbol.asyncDispose]())

const authorization = `Bearer ${tokenOf('alice')}`

function post(body: unknown, headers: Record<string, string> = {}, to: Door = door): Promise<Response> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return fetch(`${to.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization, ...headers },
    body: text,
  })
}

interface Body {
  readonly data?: Record<string, unknown> | null
  readonly errors?: readonly { readonly message: string; readonly extensions: Record<string, unknown> }[]
}

async function bodyOf(response: Response): Promise<Body> {
  return (await response.json()) as Body
}

test('passes every audit of GraphQL over HTTP', async () => {
  const results = await auditServer({
    url: `${door.url}/graphql`,
    fetchFn: (url: string, init: RequestInit = {}) =>
      fetch(url, { ...init, headers: { ...(init.headers as Record<string, string>), authorization } }),
  })
  const failed = results.filter((result) => result.status !== 'ok').map((result) => `${result.name}: ${result.status}`)
  expect(failed).toEqual([])
  expect(results).toHaveLength(61)
})

describe('authentication', () => {
  test.each([
    ['no token', {}, 'Send a token'],
    ['an unknown token', { authorization: 'Bearer nobody' }, 'unknown'],
    ['another scheme', { authorization: 'Basic YTpi' }, 'Send a token'],
    ['a token in the URL', { query: '?authorization=Bearer%20x' }, 'Send a token'],
  ])('%s is 401', async (_name, { query = '', ...headers }: Record<string, string>, message) => {
    const response = await fetch(`${door.url}/graphql${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: '{"query":"{__typename}"}',
    })
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toBe('Bearer')
    const { errors } = await bodyOf(response)
    expect(errors?.[0]).toMatchObject({
      message: expect.stringContaining(message),
      extensions: { code: 'UNAUTHENTICATED' },
    })
  })

  test('a token that is removed while the server runs stops working', async () => {
    const other = await world.openDoor()
    expect((await post({ query: '{__typename}' }, {}, other)).status).toBe(200)
    other.config.change(CONFIG.replace(/\[tokens\.alice\][^[]*/, ''))
    expect((await post({ query: '{__typename}' }, {}, other)).status).toBe(401)
  })
})

describe('what is not a GraphQL request', () => {
  test.each([
    ['text/plain', { 'content-type': 'text/plain' }, '{"query":"{__typename}"}', 415],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, 'query=%7B__typename%7D', 415],
    ['an upload', { 'content-type': 'multipart/form-data; boundary=x' }, '--x--', 415],
    ['another charset', { 'content-type': 'application/json; charset=utf-16' }, '{"query":"{__typename}"}', 415],
    ['a compressed body', { 'content-encoding': 'gzip' }, '{"query":"{__typename}"}', 415],
    ['a batch', {}, '[{"query":"{__typename}"},{"query":"{__typename}"}]', 400],
    ['a number', {}, '7', 400],
    ['no query', {}, '{"variables":{}}', 400],
    ['variables that are a list', {}, '{"query":"{__typename}","variables":[]}', 400],
    ['an accepted type that we do not have', { accept: 'image/png' }, '{"query":"{__typename}"}', 406],
    ['a body over 1 MB', {}, JSON.stringify({ query: '{__typename}', variables: { a: 'x'.repeat(1024 * 1024) } }), 413],
  ])('%s is refused', async (...[, headers, body, status]) => {
    const response = await post(body, headers)
    expect(response.status).toBe(status)
    expect((await bodyOf(response)).errors?.[0]?.extensions['code']).toBe('BAD_REQUEST')
  })

  test('a body over 1 MB that does not say its length is refused while it is sent', async () => {
    const status = await new Promise<number | undefined>((resolve) => {
      const request = httpRequest(`${door.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization, 'transfer-encoding': 'chunked' },
      })
      request.on('response', (response) => {
        response.resume()
        resolve(response.statusCode)
      })
      // The server closes the connection: what is still being written fails.
      request.on('error', () => undefined)
      for (let mb = 0; mb < 20; mb += 1) request.write(Buffer.alloc(1024 * 1024, 0x20))
      request.end()
    })
    expect(status).toBe(413)
  })

  test('bytes that are not UTF-8 are refused', async () => {
    const response = await fetch(`${door.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization },
      body: new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]),
    })
    expect(response.status).toBe(400)
  })

  test('mutations by GET, subscriptions without a stream and other methods are refused', async () => {
    const get = (query: string): Promise<Response> =>
      fetch(`${door.url}/graphql?query=${encodeURIComponent(query)}`, { headers: { authorization } })
    const mutation = await get('mutation { deleteSession(input: { id: "cli:one" }) { __typename } }')
    expect([mutation.status, mutation.headers.get('allow')]).toEqual([405, 'POST'])
    expect(await door.database.prisma.session.count({ where: { id: 'cli:one' } })).toBe(1)
    expect((await get('subscription { sessionUpdates { session { id } } }')).status).toBe(406)
    expect((await fetch(`${door.url}/graphql`, { method: 'PUT', headers: { authorization } })).status).toBe(405)
    expect((await get('{ __typename }')).status).toBe(200)
  })
})

describe('other websites', () => {
  test('get no CORS headers unless they are listed', async () => {
    const cors = await world.openDoor({ config: `${CONFIG}cors_origins = ["https://app.example"]\n` })
    const headerOf = async (to: Door, origin: string): Promise<string | null> =>
      (await post({ query: '{__typename}' }, { origin }, to)).headers.get('access-control-allow-origin')
    expect(await headerOf(door, 'https://evil.example')).toBeNull()
    expect(await headerOf(cors, 'https://evil.example')).toBeNull()
    expect(await headerOf(cors, 'https://app.example')).toBe('https://app.example')
  })

  test('may ask first only when they are listed', async () => {
    const cors = await world.openDoor({ config: `${CONFIG}cors_origins = ["https://app.example"]\n` })
    const ask = (origin: string): Promise<Response> =>
      fetch(`${cors.url}/graphql`, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-headers': 'authorization,x-of-their-own' },
      })
    const allowed = (await ask('https://app.example')).headers.get('access-control-allow-headers')
    expect(allowed).toBe('authorization,x-of-their-own')
    expect((await ask('https://evil.example')).headers.get('access-control-allow-headers')).toBeNull()
  })
})

describe('errors', () => {
  test('validation errors say everything that is wrong at once, with a code', async () => {
    const response = await post({ query: '{ nope nada }' }, { accept: 'application/graphql-response+json' })
    const { errors } = await bodyOf(response)
    expect(response.status).toBe(400)
    expect(errors?.map((error) => error.extensions['code'])).toEqual(Array(2).fill('GRAPHQL_VALIDATION_FAILED'))
  })

  test('wrong variables are BAD_USER_INPUT', async () => {
    const { errors } = await bodyOf(await post({ query: 'query($id: ID!) { session(id: $id) { id } }', variables: {} }))
    expect(errors?.[0]).toMatchObject({
      message: expect.stringContaining('$id'),
      extensions: { code: 'BAD_USER_INPUT' },
    })
  })

  test('a bug shows a correlation id and nothing else', async () => {
    const broken = await createDoorWorld()
    await using _world = broken
    const brokenDoor = await broken.openDoor()
    await brokenDoor.database.query({ name: 'test.break', text: 'ALTER TABLE sessions RENAME TO sessions_away' }, [])
    const response = await post({ query: '{ session(id: "cli:one") { id } }' }, {}, brokenDoor)
    const text = await response.text()
    const { errors } = JSON.parse(text) as Body
    expect(errors?.[0]?.extensions).toEqual({
      code: 'INTERNAL_SERVER_ERROR',
      correlationId: expect.stringMatching(/^[0-9a-f]{16}$/),
    })
    expect(text).not.toMatch(/sessions_away|relation |prisma|\.ts/i)
    expect(await brokenDoor.metric('factotum_masked_errors_total')).toBe(1)
  })

  test('a database that is away has a code, fast', async () => {
    const cut = await world.openDoor({ databaseUrl: 'postgresql://nobody:x@127.0.0.1:1/none' })
    const { errors } = await bodyOf(await post({ query: '{ session(id: "cli:one") { id } }' }, {}, cut))
    expect(errors?.[0]?.extensions).toEqual({ code: 'DATABASE_UNAVAILABLE' })
  })

  test('suggestions would give the schema away where introspection is off', async () => {
    const closed = await world.openDoor({ config: `${CONFIG}introspection = false\n` })
    const said = async (to: Door): Promise<string> =>
      (await post({ query: '{ sesion(id: "x") { id } }' }, {}, to)).text()
    expect(await said(door)).toContain('Did you mean')
    expect(await said(closed)).not.toContain('Did you mean')
    const { errors } = await bodyOf(await post({ query: '{ __schema { types { name } } }' }, {}, closed))
    expect(errors?.[0]?.extensions['code']).toBe('GRAPHQL_VALIDATION_FAILED')
  })
})

test('each token has a rate, over all transports and operations', async () => {
  const slow = await world.openDoor({ config: CONFIG.replace('100000', '3') })
  // Not a token of the other tests: what another door has let in of a token counts here, too.
  const carols = { authorization: `Bearer ${tokenOf('carol')}` }
  const statuses: number[] = []
  for (let n = 0; n < 4; n += 1) statuses.push((await post({ query: '{__typename}' }, carols, slow)).status)
  expect(statuses).toEqual([200, 200, 200, 429])
  const limited = await post({ query: '{__typename}' }, carols, slow)
  expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await bodyOf(limited)).errors?.[0]?.extensions).toEqual({
    code: 'RATE_LIMITED',
    retryAfterMs: expect.any(Number),
  })
  const other = await post({ query: '{__typename}' }, { authorization: `Bearer ${tokenOf('bob')}` }, slow)
  expect(other.status).toBe(200)
})

test('requests have an id: the one they bring, when it fits a log line', async () => {
  const idOf = async (id: string): Promise<string | null> =>
    (await post({ query: '{__typename}' }, { 'x-request-id': id })).headers.get('x-request-id')
  expect(await idOf('trace-7:ab')).toBe('trace-7:ab')
  expect(await idOf('a b {"x":1}')).toMatch(/^[0-9a-f]{16}$/)
})

describe('GraphiQL', () => {
  const open = (to: Door): Promise<Response> =>
    fetch(`${to.url}/graphql`, { headers: { accept: 'text/html,*/*;q=0.8' } })

  test('is served without a token, to browsers', async () => {
    const response = await open(door)
    expect([response.status, response.headers.get('x-frame-options')]).toEqual([200, 'DENY'])
    expect(await response.text()).toContain('GraphiQL')
  })

  test('is not, when the configuration switches it off', async () => {
    const closed = await world.openDoor({ config: `${CONFIG}graphiql = false\n`, graphiqlPage: async () => 'page' })
    expect((await open(closed)).status).toBe(404)
  })
})

describe('probes', () => {
  test('/health answers without a token, /metrics to admins', async () => {
    expect(await (await fetch(`${door.url}/health`)).json()).toEqual({ status: 'ok' })
    const metrics = await (await fetch(`${door.url}/metrics`, { headers: { authorization } })).text()
    expect(metrics).toMatch(/^factotum_http_requests_total\{route="\/health",status="200"\} \d+$/m)
    expect(metrics).toContain('factotum_graphql_operations_total{type="query",transport="http",outcome="ok"}')
  })

  test('/ready is 503 only when something required fails', async () => {
    const sandbox = {
      required: false,
      check: async () => ({ ok: false, detail: 'no bubblewrap', fix: 'apt-get install bubblewrap' }),
    }
    const fine = { required: true, check: async () => ({ ok: true, detail: 'up to date' }) }
    const broken = { required: true, check: async () => Promise.reject(new Error('connection refused')) }
    const partly = await world.openDoor({ readiness: { database: fine, sandbox } })
    const ready = await fetch(`${partly.url}/ready`, { headers: { authorization } })
    expect(ready.status).toBe(200)
    expect(await ready.json()).toEqual({
      ready: true,
      checks: {
        database: { required: true, ok: true, detail: 'up to date' },
        sandbox: { required: false, ok: false, detail: 'no bubblewrap', fix: 'apt-get install bubblewrap' },
      },
    })
    const down = await world.openDoor({ readiness: { database: broken, sandbox } })
    const notReady = await fetch(`${down.url}/ready`, { headers: { authorization } })
    expect(notReady.status).toBe(503)
    expect(await notReady.text()).toContain('connection refused')
  })

  test('anything else is 404', async () => {
    expect((await fetch(`${door.url}/admin`)).status).toBe(404)
    expect((await fetch(`${door.url}/graphql/`)).status).toBe(404)
    expect((await fetch(`${door.url}//`)).status).toBe(400)
  })
})
