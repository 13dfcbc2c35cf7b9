/**
 * Ids that the caller can neither see nor open: whatever is tried with them costs the same statements and is answered
 * with the same bytes whether there is such a session or not; and it does not wait for one that is busy.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { recordStatements } from './record-statements.ts'
import { createSchemaWorld, type SchemaWorld, type TokenName } from './schema-world.ts'
import { seedSession } from './seed.ts'

/** What there is, by the name spaces there are; and what there is not, of the same length. */
const TAKEN = [
  '@bob:taken',
  '@alice:taken',
  'discord:taken',
  'hub:taken',
  'cli:taken',
  'schedule:taken',
  'taken',
  '@nobody:taken',
]
const free = (id: string): string => id.replace('taken', 'vacant')

const ASK: Readonly<Record<string, (id: string) => string>> = {
  sendMessage: (id) => `sendMessage(input: { sessionId: "${id}", content: "Hello", idempotencyKey: "k" })`,
  callTool: (id) => `callTool(input: { sessionId: "${id}", tool: "delegation__delegate" })`,
  openSession: (id) => `openSession(input: { id: "${id}" })`,
  'openSession with everything': (id) =>
    `openSession(input: { id: "${id}", metadata: { a: 1 }, webhook: "https://example.org/", description: "Mine",
      busyPolicy: STEER, participants: ["carol"], source: { kind: "web", type: GROUP } })`,
  'openSession after another': (id) => `openSession(input: { id: "@carol:new", previousSessionId: "${id}" })`,
  appendMessage: (id) => `appendMessage(input: { sessionId: "${id}", content: "Hello", messageId: "m" })`,
  forkSession: (id) => `forkSession(input: { sessionId: "${id}" })`,
  updateSession: (id) => `updateSession(input: { id: "${id}", description: "Mine" })`,
  deleteSession: (id) => `deleteSession(input: { id: "${id}" })`,
  addParticipant: (id) => `addParticipant(input: { sessionId: "${id}", user: "carol" })`,
  removeParticipant: (id) => `removeParticipant(input: { sessionId: "${id}", user: "carol" })`,
  cancelTurn: (id) => `cancelTurn(input: { sessionId: "${id}" })`,
  checkpointSession: (id) => `checkpointSession(input: { sessionId: "${id}" })`,
}

let it: SchemaWorld
beforeAll(async () => {
  it = await createSchemaWorld()
  for (const id of TAKEN) {
    await seedSession(it.world.context.database, {
      id,
      participants: ['bob'],
      openedBy: '@bob',
      messages: 2,
      newestTurn: 'RUNNING',
    })
  }
})
afterAll(() => it[Symbol.asyncDispose]())

const cases = Object.keys(ASK).flatMap((what) => TAKEN.map((id) => ({ what, id })))

test.each(cases)('carol cannot tell by $what whether there is a session $id', async ({ what, id }) => {
  const before = await everything()
  const taken = await askAs('carol', what, id)
  const absent = await askAs('carol', what, free(id))
  expect(taken.body).toMatch(/"NotFoundRefusal"/)
  expect(absent.body.replaceAll(free(id), id)).toBe(taken.body)
  expect(absent.statements).toEqual(taken.statements)
  expect(await everything()).toEqual(before)
})

test('nor by how long it takes: what is done to the session meanwhile holds her up nowhere', async () => {
  const { database } = it.world.context
  await database.transaction(async (transaction) => {
    const locks = { name: '', text: 'SELECT id FROM sessions WHERE id = ANY ($1) FOR UPDATE' }
    expect(await transaction.query(locks, [TAKEN])).toHaveLength(TAKEN.length)
    for (const { what, id } of cases) expect((await askAs('carol', what, id)).body).toMatch(/"NotFoundRefusal"/)
  })
})

test('a connector is told its namespace, whatever there is', async () => {
  for (const { what, id } of cases.filter(
    (one) => !one.id.startsWith('discord:') && one.what !== 'removeParticipant',
  )) {
    if (what === 'openSession after another') continue
    const taken = await askAs('discord', what, id)
    const absent = await askAs('discord', what, free(id))
    expect(taken.body).toMatch(/InvalidInputRefusal.*must start with \\"discord:/)
    expect(absent.body.replaceAll(free(id), id)).toBe(taken.body)
    expect([taken.statements, absent.statements]).toEqual([[], []])
  }
})

test('bob, who takes part, is answered', async () => {
  for (const id of TAKEN) expect((await askAs('bob', 'sendMessage', id)).body).toContain('"SendMessagePayload"')
})

async function askAs(who: TokenName, what: string, id: string): Promise<{ body: string; statements: string[] }> {
  let body = ''
  const question = ASK[what]?.(id) ?? ''
  const asked = who === 'discord' ? question.replace('content:', 'user: "someone", content:') : question
  const statements = await recordStatements(async () => {
    const fields = '__typename ... on Refusal { code problem } ... on InvalidInputRefusal { issues { path problem } }'
    body = JSON.stringify(await it.run(who, `mutation { ${asked} { ${fields} ... on NotFoundRefusal { missingId } } }`))
  })
  return { body, statements }
}

async function everything(): Promise<unknown> {
  const tables = ['sessions', 'participants', 'messages', 'turns', 'events', 'checkpoints', 'audit_entries']
  const sums = tables.map(
    (table) => `SELECT '${table}' AS of, md5(string_agg(t::text, '' ORDER BY t::text)) AS sum FROM ${table} t`,
  )
  return await it.world.sql(sums.join(' UNION ALL '))
}
