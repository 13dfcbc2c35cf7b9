/** Operations by the hash of their text, and the files that clients are generated from. */
import { createHash } from 'node:crypto'
import { buildSchema } from 'graphql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CONFIG, createDoorWorld, tokenOf, type Door, type DoorWorld } from './door-world.ts'
import { RawSocket } from './raw-socket.ts'

let world: DoorWorld
let door: Door
beforeAll(async () => {
  world = await createDoorWorld()
  door = await world.openDoor()
})
afterAll(() => world[Symbol.asyncDispose]())

const authorization = `Bearer ${tokenOf('alice')}`

function named(query: string): object {
  const sha256Hash = createHash('sha256').update(query).digest('hex')
  return { persistedQuery: { version: 1, sha256Hash } }
}

async function post(body: object): Promise<{ status: number; text: string }> {
  const response = await fetch(`${door.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/graphql-response+json', authorization },
    body: JSON.stringify(body),
  })
  return { status: response.status, text: await response.text() }
}

test('a query is sent once with its text, then by its hash, over POST, GET and WebSocket', async () => {
  const query = 'query First { viewer { role } }'
  const extensions = named(query)
  const unknown = await post({ extensions })
  expect(unknown).toMatchObject({ status: 200, text: expect.stringContaining('"code":"PERSISTED_QUERY_NOT_FOUND"') })
  expect(unknown.text).toContain('"message":"PersistedQueryNotFound"')
  const data = '{"data":{"viewer":{"role":"ADMIN"}}}'
  expect((await post({ query, extensions })).text).toBe(data)
  expect((await post({ extensions })).text).toBe(data)
  const url = `${door.url}/graphql?extensions=${encodeURIComponent(JSON.stringify(extensions))}`
  expect(await (await fetch(url, { headers: { authorization } })).text()).toBe(data)
  const socket = await RawSocket.open(door.webSocketUrl, tokenOf('alice'))
  const message = { type: 'subscribe', id: '1', payload: { query: '', extensions } }
  expect((await socket.exchange(JSON.stringify(message), '1'))[0]).toMatchObject({
    payload: JSON.parse(data) as object,
  })
  await socket.close()
})

test('a WebSocket is told that a hash is not known', async () => {
  const socket = await RawSocket.open(door.webSocketUrl, tokenOf('alice'))
  const message = { type: 'subscribe', id: '1', payload: { query: '', extensions: named('{ nobody }') } }
  const [answer] = await socket.exchange(JSON.stringify(message), '1')
  expect(answer).toMatchObject({ type: 'error', payload: [{ extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }] })
  await socket.close()
})

test('a hash of another text is refused, and nothing is kept under it', async () => {
  const extensions = named('{ viewer { tokenName } }')
  expect((await post({ query: '{ viewer { role } }', extensions })).status).toBe(400)
  expect((await post({ extensions })).text).toContain('PersistedQueryNotFound')
})

test('what is named is limited as what is written', async () => {
  const query = '{ sessions(first: 100) { edges { node { messages(first: 100) { edges { node { id } } } } } } }'
  await post({ query, extensions: named(query) })
  expect(await post({ extensions: named(query) })).toMatchObject({
    status: 400,
    text: expect.stringContaining('QUERY_TOO_COMPLEX'),
  })
})

test('the schema and the types of unions are files', async () => {
  const schema = await fetch(`${door.url}/schema.graphql`)
  expect(
    buildSchema(await schema.text())
      .getMutationType()
      ?.getFields(),
  ).toHaveProperty('sendMessage')
  const etag = schema.headers.get('etag') ?? ''
  expect((await fetch(schema.url, { headers: { 'if-none-match': etag } })).status).toBe(304)
  const possibleTypes = (await (await fetch(`${door.url}/possibleTypes.json`)).json()) as Record<string, string[]>
  expect(possibleTypes['Node']).toContain('Session')
  expect((await fetch(schema.url, { method: 'POST' })).status).toBe(405)
})

test('they are not, where introspection is off', async () => {
  const closed = await world.openDoor({ config: `${CONFIG}introspection = false\n` })
  for (const path of ['/schema.graphql', '/possibleTypes.json'])
    expect((await fetch(`${closed.url}${path}`)).status).toBe(404)
})
