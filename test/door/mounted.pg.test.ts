/** src/graphql/yoga.ts in a server that is not ours: all rules hold there, too. */
import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { viewerOf } from '../../src/config/access/authenticate.ts'
import { createContext } from '../../src/graphql/context.ts'
import { Origins } from '../../src/graphql/http/origin.ts'
import { Hub } from '../../src/graphql/live/hub.ts'
import { createSessionNotifier } from '../../src/graphql/live/notify/session-notifier.ts'
import { readAudience } from '../../src/graphql/live/notify/session-audience.ts'
import { Admission } from '../../src/graphql/operation/admission.ts'
import { PersistedQueries } from '../../src/graphql/operation/persisted-queries.ts'
import { RateLimit } from '../../src/graphql/operation/rate-limit.ts'
import { buildSchema } from '../../src/graphql/schema/schema.ts'
import { Connections, type Authenticate } from '../../src/graphql/socket/connections.ts'
import { createDoorYoga } from '../../src/graphql/yoga.ts'
import { systemClock as clock } from '../../src/platform/clock.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { bareServices } from '../harness/bare-services.ts'
import { CONFIG, createDoorWorld, createSession, output, TestConfig, tokenOf, type DoorWorld } from './door-world.ts'
import { FOLLOW, watchEvents } from './watch.ts'

let world: DoorWorld
let url: string
let append: (id: string, text: string) => Promise<unknown>
const stack = new AsyncDisposableStack()
beforeAll(async () => {
  world = stack.use(await createDoorWorld())
  const door = await world.openDoor()
  const { database, doorbell, feed, metrics } = door
  append = (id, text) => door.append(id, output(text))
  await createSession(database, 'cli:mounted')
  const config = new TestConfig(CONFIG)
  const logger = createLogger({ level: 'silent', pretty: false })
  const services = bareServices({ database, config, doorbell, feed, clock, logger })
  const audienceOf = (id: string): ReturnType<typeof readAudience> => readAudience(database, id)
  const sessionNotifier = createSessionNotifier({
    doorbell,
    readAudience: audienceOf,
    clock,
    logger,
  })
  const hub = new Hub({
    feed,
    readAudience: audienceOf,
    mayOpen: () => false,
    createContext: (viewer, grantedSessionId) => {
      const request = { viewer, requestId: 'x', trace: null, logger, grantedSessionId, answer: null }
      return createContext(services, { ...request, sessionNotifier })
    },
    maxResponseBytes: () => config.current().settings.maxResponseBytes,
    clock,
    logger,
    metrics,
  })
  const authenticate: Authenticate = (credential) => viewerOf(config.current(), credential)
  const yoga = createDoorYoga({
    schema: buildSchema(),
    authenticate,
    origins: new Origins({ config, production: true, clock, logger }),
    isKnownHost: (host) => host?.startsWith('127.0.0.1') === true,
    createContext: (request) => createContext(services, request),
    sessionNotifier,
    hub,
    connections: new Connections({ authenticate, config, clock, logger, metrics }),
    denials: services.denials,
    rateLimit: new RateLimit({ clock, perMinute: () => 100_000, doorbell, logger }),
    admission: new Admission(clock),
    persistedQueries: new PersistedQueries(),
    plugins: [],
    graphiqlPage: null,
    config,
    clock,
    logger,
    metrics,
  })
  const server = createServer((request, response) => {
    if (request.url === '/theirs') response.end('theirs')
    else void yoga(request, response)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  stack.defer(async () => {
    await hub.stop()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => stack.disposeAsync())

function post(query: string, headers: Record<string, string> = {}): Promise<Response> {
  const authorization = `Bearer ${tokenOf('alice')}`
  return fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization, ...headers },
    body: JSON.stringify({ query }),
  })
}

test('it answers beside what the other server answers', async () => {
  expect(await (await fetch(`${url}/theirs`)).text()).toBe('theirs')
  const response = await post('{ viewer { role } }')
  expect(await response.json()).toEqual({ data: { viewer: { role: 'ADMIN' } } })
  expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f]{16}$/)
})

test('the rules hold: token, limits, form, name', async () => {
  expect((await post('{ viewer { role } }', { authorization: 'Bearer nobody' })).status).toBe(401)
  const tooMuch = '{ sessions(first: 100) { edges { node { messages(first: 100) { edges { node { id } } } } } } }'
  expect(await (await post(tooMuch)).text()).toContain('QUERY_TOO_COMPLEX')
  expect((await post('{ viewer { role } }', { 'content-type': 'text/plain' })).status).toBe(415)
  const status = await new Promise((resolve) =>
    httpRequest(`${url}/graphql`, { headers: { host: 'evil.example' } }, (response) => {
      response.resume()
      resolve(response.statusCode)
    }).end(),
  )
  expect(status).toBe(421)
})

test('so do subscriptions, as server-sent events', async () => {
  const watch = watchEvents(url, {
    query: FOLLOW,
    variables: { id: 'cli:mounted', after: 0 },
    token: tokenOf('alice'),
  })
  await append('cli:mounted', 'one')
  await append('cli:mounted', 'two')
  await watch.count(2)
  expect(watch.seqs).toEqual([1, 2])
  watch.close()
})
