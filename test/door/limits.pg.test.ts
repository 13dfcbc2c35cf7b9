/**
 * What one operation may cost the server, over both transports: refused at once, and what tools ordinarily ask for is
 * not.
 */
import { getIntrospectionQuery } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDoorWorld, createSession, tokenOf, type Door, type DoorWorld } from './door-world.ts'
import { RawSocket } from './raw-socket.ts'
import { createLogger } from '../../src/platform/logger.ts'

interface Answer {
  readonly data?: Record<string, unknown> | null
  readonly errors?: readonly { readonly message: string; readonly extensions: { readonly code?: string } }[]
}

let world: DoorWorld
let door: Door
let socket: RawSocket
beforeAll(async () => {
  world = await createDoorWorld()
  door = await world.openDoor()
  await createSession(door.database, 'cli:limits')
  socket = await RawSocket.open(door.webSocketUrl, tokenOf('alice'))
})
afterAll(async () => {
  await socket.close()
  await world[Symbol.asyncDispose]()
})

type Send = (query: string, variables?: object) => Promise<Answer>

const overHttp: Send = async (query, variables = {}) => {
  const response = await fetch(`${door.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${tokenOf('alice')}` },
    body: JSON.stringify({ query, variables }),
  })
  return (await response.json()) as Answer
}

const overWebSocket: Send = async (query, variables = {}) => {
  const id = socket.nextId()
  const messages = await socket.exchange(JSON.stringify({ type: 'subscribe', id, payload: { query, variables } }), id)
  const answer = messages.find(({ type }) => type === 'next' || type === 'error')
  return (answer?.type === 'error' ? { errors: answer.payload } : answer?.payload) as Answer
}

function codesOf(answer: Answer): readonly (string | undefined)[] {
  return (answer.errors ?? []).map(({ extensions }) => extensions.code)
}

/** Valid, and within what graphql-js allows of nesting: about 1 kB that asks for hundreds of megabytes. */
const wide = (inner: string): string => Array.from({ length: 6 }, (_, n) => `f${n}: fields { ${inner} }`).join(' ')
const BOMB = `{ __schema { types { ${wide(`type { name ofType { name ofType { ${wide('name description type { name }')} } } }`)} } } }`

describe.each([
  ['HTTP', overHttp],
  ['WebSocket', overWebSocket],
])('over %s', (_transport, send) => {
  test('the schema is given in the words of graphql, with every option', async () => {
    const options = { descriptions: true, schemaDescription: true, specifiedByUrl: true, inputValueDeprecation: true }
    const answer = await send(getIntrospectionQuery({ ...options, directiveIsRepeatable: true, oneOf: true }))
    expect(answer.errors).toBeUndefined()
    expect(JSON.stringify(answer.data)).toContain('"sendMessage"')
  })

  test('introspection that multiplies is refused', async () => {
    expect(codesOf(await send(BOMB))).toEqual(['QUERY_TOO_COMPLEX'])
  })

  test('a page size counts where it is the default of a variable', async () => {
    const query = `query($n: Int = 100) { sessions(first: $n) { edges { node { messages(first: $n) { edges { node { id } } } } } } }`
    expect(codesOf(await send(query))).toEqual(['QUERY_TOO_COMPLEX'])
    expect(codesOf(await send(query, { n: 20 }))).toEqual([])
  })

  test('a log without a size counts as many events as are given', async () => {
    const ask = (sessions: number, size = ''): Promise<Answer> =>
      send(
        `{ sessions(first: ${sessions}) { edges { node { events${size} { edges { node { seq at __typename } } } } } } }`,
      )
    expect(codesOf(await ask(14))).toEqual([])
    const refused = await ask(20)
    expect(codesOf(refused)).toEqual(['QUERY_TOO_COMPLEX'])
    expect(refused).toEqual(await ask(20, '(first: 100)'))
    expect(codesOf(await ask(20, '(first: 20)'))).toEqual([])
  })

  test('a size in "last" counts beside a "first" that is null', async () => {
    const query = `{ sessions(first: 30) { edges { node { messages(first: null, last: 100) { edges { node { id } } } } } } }`
    expect(codesOf(await send(query))).toEqual(['QUERY_TOO_COMPLEX'])
  })
})

test('who asks for an operation by an endless name fills no log with it', async () => {
  const lines: string[] = []
  const to = { write: (line: string) => void lines.push(line) }
  const logging = await world.openDoor({ logger: createLogger({ level: 'info', pretty: false, to }) })
  const response = await fetch(`${logging.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${tokenOf('alice')}` },
    body: JSON.stringify({ query: '{ viewer { role } }', operationName: 'x'.repeat(900_000) }),
  })
  const answer = await response.text()
  expect(codesOf(JSON.parse(answer) as Answer)).toEqual(['BAD_USER_INPUT'])
  expect(answer.length).toBeLessThan(1000)
  const line = lines.find((one) => one.includes('"outcome":"refused"')) ?? ''
  expect(line).toContain('"operation":"xxx')
  expect(line.length).toBeLessThan(1000)
})
