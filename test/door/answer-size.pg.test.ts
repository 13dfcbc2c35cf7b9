/** How large an answer may be, on every transport: what is larger is refused before it is serialised. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CONFIG, createDoorWorld, createSession, output, tokenOf, type Door, type DoorWorld } from './door-world.ts'
import { watchEvents, watchWebSocket, type Result } from './watch.ts'

const KIB = 1024
const token = tokenOf('alice')
let world: DoorWorld
/** Its answers have at most 1 MiB. */
let door: Door
beforeAll(async () => {
  world = await createDoorWorld()
  door = await world.openDoor({ config: `${CONFIG}max_response_mib = 1\n` })
  await createSession(door.database, 'cli:long', ['alice'])
  for (let n = 0; n < 3; n += 1) await say('cli:long', 'x'.repeat(200 * KIB))
  await createSession(door.database, 'cli:escaped', ['alice'])
  for (let n = 0; n < 2; n += 1) await say('cli:escaped', '\u0001'.repeat(120 * KIB))
})
afterAll(() => world[Symbol.asyncDispose]())

async function say(sessionId: string, content: string): Promise<void> {
  const { errors } = await overHttp(
    'mutation($input: AppendMessageInput!) { appendMessage(input: $input) { __typename } }',
    { input: { sessionId, content } },
  )
  expect(errors).toBeUndefined()
}

async function overHttp(query: string, variables: object = {}): Promise<Result> {
  const response = await fetch(`${door.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ query, variables }),
  })
  expect(response.status).toBe(200)
  return (await response.json()) as Result
}

async function overWebSocket(query: string): Promise<Result> {
  const watch = watchWebSocket(door.webSocketUrl, { query, token })
  await watch.count(1)
  watch.close()
  return watch.results[0] ?? {}
}

async function overEvents(query: string): Promise<Result> {
  const watch = watchEvents(door.url, { query, token })
  await watch.count(1)
  watch.close()
  return watch.results[0] ?? {}
}

const TOO_LARGE = [
  { message: expect.stringContaining('larger than 1 MiB'), extensions: { code: 'RESPONSE_TOO_LARGE' } },
]

function aliases(count: number, field: string): string {
  return Array.from({ length: count }, (_, n) => `a${n}: ${field}`).join(' ')
}

const LIST = 'messages { edges { node { content } } }'

describe.each([
  ['HTTP', overHttp],
  ['WebSocket', overWebSocket],
  ['server-sent events', overEvents],
])('over %s', (_transport, ask) => {
  test('a long text under many names is refused', async () => {
    expect(await ask(`{ session(id: "cli:long") { ${aliases(25, LIST)} } }`)).toEqual({ data: null, errors: TOO_LARGE })
  })

  test('what fits is given', async () => {
    const { data, errors } = await ask(`{ session(id: "cli:long") { ${LIST} } }`)
    expect(errors).toBeUndefined()
    expect(JSON.stringify(data).length).toBeGreaterThan(600 * KIB)
  })

  test('what JSON writes as six characters counts as six', async () => {
    expect(await ask(`{ session(id: "cli:escaped") { ${LIST} } }`)).toEqual({ data: null, errors: TOO_LARGE })
  })

  test('names count as well as values', async () => {
    const name = 'n'.repeat(15 * KIB)
    const answer = await ask(`{ session(id: "cli:long") { view { usage { ${name}: __typename } } } }`)
    expect(answer.errors).toBeUndefined()
    await door.append('cli:long', ...Array.from({ length: 100 }, (_, n) => output(String(n))))
    const long = await ask(`{ session(id: "cli:long") { events { edges { node { ${name}: __typename } } } } }`)
    expect(long).toEqual({ data: null, errors: TOO_LARGE })
  })
})

describe.each([
  ['WebSocket', () => door.webSocketUrl, watchWebSocket],
  ['server-sent events', () => door.url, watchEvents],
])('events over %s', (_transport, url, watch) => {
  test('one that is too large is an error in its place; those after it come', async () => {
    const id = `cli:log-${url().slice(0, 2)}`
    await createSession(door.database, id)
    await door.append(id, output('short'), output('x'.repeat(100 * KIB)), output('short again'))
    const text = `... on TaskOutputEvent { ${aliases(20, 'text')} }`
    const query = `subscription { sessionEvents(sessionId: "${id}", after: 0) { seq ${text} } }`
    const watching = watch(url(), { query, token })
    await watching.count(3)
    watching.close()
    expect(watching.results.map(({ errors }) => errors ?? [])).toEqual([[], TOO_LARGE, []])
    expect(watching.seqs).toEqual([1, Number.NaN, 3])
  })

  test('so it is where they are no log', async () => {
    const query = `subscription { sessionUpdates { session { id ${aliases(10, LIST)} } } }`
    const watching = watch(url(), { query, token })
    await watching.count(1)
    await door.append('cli:long', { type: 'SessionUpdated' })
    while (watching.results.every(({ errors }) => errors === undefined))
      await watching.count(watching.results.length + 1)
    watching.close()
    expect(watching.results.at(-1)).toEqual({ data: null, errors: TOO_LARGE })
  })
})
