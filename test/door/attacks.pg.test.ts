import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rounds } from '../harness/rounds.ts'
import { ATTACKS, type Attack } from './attacks.ts'
import { createDoorWorld, tokenOf, type Door, type DoorWorld } from './door-world.ts'
import { RawSocket } from './raw-socket.ts'

interface Answer {
  readonly errors?: readonly { readonly message: string; readonly extensions?: { readonly code?: string } }[]
}

let world: DoorWorld
let door: Door
let socket: RawSocket
beforeAll(async () => {
  world = await createDoorWorld()
  door = await world.openDoor()
  socket = await RawSocket.open(door.webSocketUrl, tokenOf('alice'))
})
afterAll(async () => {
  await socket.close()
  await world[Symbol.asyncDispose]()
})

type Sent = Omit<Attack, 'name' | 'code'>

/** As text, because JSON.stringify would refuse or repair what an attacker sends. */
function paramsOf({
  query,
  variables = '{}',
  operationName = null,
}: Omit<Sent, 'operationName'> & { operationName?: string | null }): string {
  return `{"query":${JSON.stringify(query)},"variables":${variables},"operationName":${JSON.stringify(operationName)}}`
}

async function overHttp(sent: Sent): Promise<Answer> {
  const response = await fetch(`${door.url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/graphql-response+json, text/event-stream;q=0.1',
      authorization: `Bearer ${tokenOf('alice')}`,
    },
    body: paramsOf(sent),
  })
  expect(response.status).toBeLessThan(500)
  return (await response.json()) as Answer
}

async function overWebSocket(sent: Sent): Promise<Answer> {
  const id = socket.nextId()
  const messages = await socket.exchange(`{"type":"subscribe","id":"${id}","payload":${paramsOf(sent)}}`, id)
  const answer = messages.find((message) => message.type === 'next' || message.type === 'error')
  return (answer?.type === 'error' ? { errors: answer.payload } : (answer?.payload ?? {})) as Answer
}

function codeOf(answer: Answer): string | null {
  return answer.errors === undefined ? null : (answer.errors[0]?.extensions?.code ?? 'no code')
}

describe.each([
  ['HTTP', overHttp],
  ['WebSocket', overWebSocket],
])('over %s', (_transport, send) => {
  test.each(ATTACKS)('$name', async (attack) => {
    expect(codeOf(await send(attack))).toBe(attack.code)
  })

  test('never more than five validation errors', async () => {
    const answer = await send({ query: '{ viewer { a b c d e f g h i j k l m n } }' })
    // The sixth says that there are more.
    expect(answer.errors).toHaveLength(6)
  })

  test.each([
    'query($i: SessionFilter) { sessions(filter: $i) { totalCount } }',
    'subscription($i: [SessionEventType!]) { sessionEvents(sessionId: "x", types: $i) { seq } }',
  ])('never more than one of variables: %s', async (query) => {
    const wrong = query.startsWith('query') ? { a: 1, b: 2, c: 3 } : ['A', 'B', 'C']
    const { errors = [] } = await send({ query, variables: JSON.stringify({ i: wrong }) })
    // Each would hold the whole value.
    expect(errors.filter(({ message }) => message.startsWith('Variable'))).toHaveLength(1)
  })
})

test('what was harmless left nothing behind', async () => {
  expect(({} as { admin?: boolean }).admin).toBeUndefined()
  expect((await overHttp({ query: '{ viewer { role } }' })).errors).toBeUndefined()
  expect((await overWebSocket({ query: '{ viewer { role } }' })).errors).toBeUndefined()
})

const PIECES =
  `{ } ( ) ... @include(if:true) query mutation subscription fragment F on Session ...F viewer sessions(first:3) edges
  node id session(id:"x") $v :Int " """ \\u{1F600} # ! [ ] = | & 1 -1 1e999 true null`.split(/\s+/)

const piece = fc.oneof(
  fc.constantFrom(...PIECES),
  fc.string({ maxLength: 8 }),
  fc.string({ unit: 'binary', maxLength: 4 }),
)

test('random documents are answered, never with a server error', async () => {
  const document = fc.array(piece, { minLength: 1, maxLength: 60 }).map((pieces) => pieces.join(' '))
  await fc.assert(
    fc.asyncProperty(document, fc.jsonValue(), async (query, json) => {
      const answer = await overHttp({ query, variables: JSON.stringify({ v: json }) })
      expect(codeOf(answer)).not.toBe('INTERNAL_SERVER_ERROR')
    }),
    { numRuns: rounds(200, 1000) },
  )
  expect(await door.metric('factotum_masked_errors_total')).toBe(0)
})
