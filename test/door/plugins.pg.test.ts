/** Users' own plugins: loaded from files, and run for every transport. */
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadPlugins } from '../../src/graphql/plugins/load-plugins.ts'
import { createDoorWorld, tokenOf, type Door, type DoorWorld } from './door-world.ts'
import { RawSocket } from './raw-socket.ts'

/** Of Envelop: what an execution came to, and the error that a resolver threw, as its users write it. */
const MINE = `
import { usePayloadFormatter } from 'graphql-yoga'
export default () => [
  usePayloadFormatter((result: { data?: object }) => ({ ...result, extensions: { seen: Object.keys(result.data ?? {}) } })),
  { onParse: ({ context }: { context: { caller: { transport: string } } }) => console.assert(context.caller.transport) },
]
`

let world: DoorWorld
let door: Door
let home: string
beforeAll(async () => {
  world = await createDoorWorld()
  home = await mkdtemp(join(tmpdir(), 'factotum-plugins-'))
  await mkdir(join(home, 'node_modules'))
  await symlink(resolve('node_modules/graphql-yoga'), join(home, 'node_modules/graphql-yoga'))
  await writeFile(join(home, 'mine.ts'), MINE)
  door = await world.openDoor({ plugins: await loadPlugins(home, ['./mine.ts']) })
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  await rm(home, { recursive: true })
})

test('a plugin of Envelop sees operations over HTTP and WebSocket', async () => {
  const response = await fetch(`${door.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${tokenOf('alice')}` },
    body: '{"query":"{ viewer { role } }"}',
  })
  const expected = { data: { viewer: { role: 'ADMIN' } }, extensions: { seen: ['viewer'] } }
  expect(await response.json()).toEqual(expected)
  const socket = await RawSocket.open(door.webSocketUrl, tokenOf('alice'))
  const message = { type: 'subscribe', id: '1', payload: { query: '{ viewer { role } }' } }
  expect((await socket.exchange(JSON.stringify(message), '1'))[0]?.payload).toEqual(expected)
  await socket.close()
})

test('the rules of the server hold before it', async () => {
  const response = await fetch(`${door.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/graphql-response+json' },
    body: '{"query":"{ viewer { role } }"}',
  })
  expect(response.status).toBe(401)
})

test.each([
  ['is not there', null, /cannot be used: Cannot find module.*"plugins" under \[graphql\]/s],
  ['does not parse', 'export default {', /cannot be used/],
  ['exports nothing', 'export const plugin = {}', /neither a plugin \(an object of hooks\) nor a function/],
  ['exports a text', 'export default "plugin"', /neither a plugin/],
  ['fails', 'export default () => { throw new Error("no DSN") }', /cannot be used: no DSN/],
])('a module that %s stops the start, and says what to change', async (name, text, problem) => {
  const file = `./${name.replaceAll(' ', '-')}.ts`
  if (text !== null) await writeFile(join(home, file), text)
  await expect(loadPlugins(home, [file])).rejects.toThrow(problem)
})
