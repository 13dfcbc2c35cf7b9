/** What browsers are told of answers, under which names the server answers, and who is told how it is. */
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLogger } from '../../src/platform/logger.ts'
import { must } from '../../src/platform/must.ts'
import { CONFIG, createDoorWorld, createSession, tokenOf, type Door, type DoorWorld } from './door-world.ts'

let world: DoorWorld
let door: Door
beforeAll(async () => {
  world = await createDoorWorld()
  door = await world.openDoor({
    config: `${CONFIG}allowed_hosts = ["agent.lan"]\npublic_url = "https://agent.example.org"\nmetrics_listen = "127.0.0.1:0"\n`,
    graphiqlPage: async () => '<!doctype html><script>start()</script>',
    readiness: { database: { required: true, check: async () => ({ ok: true, detail: 'PostgreSQL answers' }) } },
  })
  await createSession(door.database, 'cli:one')
})
afterAll(() => world[Symbol.asyncDispose]())

const authorization = `Bearer ${tokenOf('alice')}`

interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** `fetch` would not send another `Host`, nor a path as it is given. */
function ask(url: string, headers: Record<string, string> = {}, body?: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST'
    const path = url.replace(/^http:\/\/[^/]+/, '')
    const request = httpRequest(url, { method, headers, path }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }))
    })
    request.on('upgrade', (response, socket) => {
      socket.destroy()
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text: '' })
    })
    request.on('error', reject)
    request.end(body)
  })
}

const json = { 'content-type': 'application/json', authorization }
const QUERY = '{"query":"{ viewer { role } }"}'

describe('headers', () => {
  test.each<[string, string, Record<string, string>, string | undefined]>([
    ['data', '/graphql', json, QUERY],
    ['data as an event', '/graphql', { ...json, accept: 'text/event-stream' }, QUERY],
    ['a refused document', '/graphql', json, '{"query":"{ nope }"}'],
    ['no token', '/graphql', { 'content-type': 'application/json' }, QUERY],
    ['GraphiQL', '/graphql', { accept: 'text/html' }, undefined],
    ['a published file that is not there', '/pub/nothing', {}, undefined],
    ['figures', '/metrics', { authorization }, undefined],
    ['no figures', '/metrics', {}, undefined],
    ['readiness', '/ready', {}, undefined],
    ['nothing', '/nothing', {}, undefined],
    ['a name that is not known', '/graphql', { ...json, host: 'evil.example' }, QUERY],
  ])('%s: not to be kept, and nothing but what it says it is', async (...[, path, headers, body]) => {
    const answer = await ask(`${door.url}${path}`, headers, body)
    expect(answer.headers['x-content-type-options']).toBe('nosniff')
    expect(answer.headers['cache-control']).toContain('no-store')
  })

  test('a connection is kept for longer than the minute after which proxies close theirs', async () => {
    const { headers } = await ask(`${door.url}/graphql`, { ...json, connection: 'keep-alive' }, QUERY)
    const seconds = Number(/^timeout=(\d+)$/.exec(String(headers['keep-alive']))?.[1])
    expect(seconds).toBeGreaterThan(60)
  })

  test('the address of the server is the console, which no other site may frame', async () => {
    const answer = await ask(`${door.url}/`, { accept: 'text/html' })
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('<div id="root">')])
    expect(answer.headers['content-security-policy']).toContain("frame-ancestors 'none'")
  })

  const DETOURS = ['/pub/../graphql', '/pub/%2E%2e/graphql', '/./graphql', '//elsewhere/graphql', '/pub\\..\\graphql']
  test.each([...DETOURS, '/pub/..'])('a path that means another than it says is refused: %s', async (path) => {
    const answer = await ask(`${door.url}${path}`, json, path.endsWith('graphql') ? QUERY : undefined)
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('The URL is not valid')])
    const upgrade = { connection: 'Upgrade', upgrade: 'websocket' }
    expect((await ask(`${door.url}${path}`, upgrade)).status).toBe(404)
  })

  test.each(['/graphql?from=/pub/../x', '/graphql?..', '/graphql?a=%2e%2e/'])('%s says what it means', async (path) => {
    expect((await ask(`${door.url}${path}`, json, QUERY)).status).toBe(200)
  })

  test('GraphiQL runs its own script and no other', async () => {
    const { headers } = await ask(`${door.url}/graphql`, { accept: 'text/html' })
    const policy = must(headers['content-security-policy'], 'a policy')
    expect(policy).toMatch(/default-src 'none'; script-src 'sha256-[\w+/=]{44}' 'strict-dynamic';/)
    expect(policy).toContain("frame-ancestors 'none'")
  })
})

describe('the name under which it is asked', () => {
  const names = ['localhost:4000', '127.0.0.1', '10.0.0.7:80', 'agent.lan', 'agent.example.org']
  test.each(names)('%s is known', async (host) => {
    expect((await ask(`${door.url}/graphql`, { ...json, host }, QUERY)).status).toBe(200)
  })

  test.each(['/graphql', '/metrics', '/pub/nothing', '/nothing'])('another one is refused: %s', async (path) => {
    const answer = await ask(`${door.url}${path}`, { ...json, host: 'rebound.example' })
    expect(answer.status).toBe(421)
    expect(answer.text).toContain('operator has to allow')
    expect(answer.text).toContain('"code":"MISDIRECTED_REQUEST"')
  })

  test('so it is for WebSockets', async () => {
    const upgrade = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': Buffer.alloc(16).toString('base64'),
      'sec-websocket-protocol': 'graphql-transport-ws',
    }
    const open = async (host: string): Promise<number> =>
      (await ask(`${door.url}/graphql`, { ...upgrade, host, origin: `http://${host}` })).status
    expect(await open('rebound.example')).toBe(421)
    expect(await open('agent.lan')).toBe(101)
  })

  test('a change of the configuration holds at once; the log says what to change, once', async () => {
    const lines: string[] = []
    const logger = createLogger({ level: 'warn', pretty: false, to: { write: (line) => void lines.push(line) } })
    const other = await world.openDoor({ logger })
    const status = async (): Promise<number> =>
      (await ask(`${other.url}/graphql`, { ...json, host: 'later.lan' }, QUERY)).status
    expect([await status(), await status()]).toEqual([421, 421])
    expect(lines).toEqual([expect.stringMatching(/"host":"later\.lan".*add \\"later\.lan\\" to allowed_hosts/)])
    other.config.change(`${CONFIG}allowed_hosts = ["later.lan"]\n`)
    expect(await status()).toBe(200)
  })

  test('load balancers may ask whether it is there by any name', async () => {
    for (const path of ['/health', '/ready'])
      expect((await ask(`${door.url}${path}`, { host: 'rebound.example' })).status).toBe(200)
  })
})

describe('how the server is', () => {
  test.each([
    ['nobody', {}],
    ['a stranger', { authorization: 'Bearer nobody' }],
    ['a user', { authorization: `Bearer ${tokenOf('bob')}` }],
    ['a connector', { authorization: `Bearer ${tokenOf('discord')}` }],
  ])('%s learns whether it is ready, and no more', async (_who, headers: Record<string, string>) => {
    const ready = await ask(`${door.url}/ready`, headers)
    expect([ready.status, JSON.parse(ready.text)]).toEqual([200, { ready: true }])
    const metrics = await ask(`${door.url}/metrics`, headers)
    expect(metrics.status).toBe(401)
    expect(metrics.text).toContain('for admins')
    expect(metrics.text).not.toContain('factotum_')
  })

  test('an admin learns everything', async () => {
    expect((await ask(`${door.url}/ready`, { authorization })).text).toContain('PostgreSQL answers')
    expect((await ask(`${door.url}/metrics`, { authorization })).text).toContain('factotum_graphql_operations_total')
  })

  test('so does who reaches the address of operators, where nothing else is', async () => {
    const url = must(door.server.metricsUrl, 'an address')
    expect((await ask(`${url}/ready`)).text).toContain('PostgreSQL answers')
    expect((await ask(`${url}/metrics`)).text).toContain('factotum_graphql_operations_total')
    expect((await ask(`${url}/graphql`, json, QUERY)).status).toBe(404)
    expect((await ask(`${url}/metrics`, { host: 'rebound.example' })).status).toBe(421)
  })

  test('an address of operators that is taken stops the start, and says which setting it is', async () => {
    const { host } = new URL(must(door.server.metricsUrl, 'an address'))
    const opening = world.openDoor({ config: `${CONFIG}metrics_listen = "${host}"\n` })
    await expect(opening).rejects.toThrow(/in use.*metrics_listen/)
  })
})
