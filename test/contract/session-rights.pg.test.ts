/**
 * Who may do what to a session: every act of core/session/session-rights.ts, by everybody who sees the session, through
 * the schema. What is refused changes nothing. docs/security.md shows the same table.
 */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SESSION_RIGHTS, STANDINGS, type SessionAct, type Standing } from '../../src/core/session/session-rights.ts'
import { createSchemaWorld, type SchemaWorld, type TokenName } from './schema-world.ts'
import { seedSession } from './seed.ts'

const WHO: Readonly<Record<Standing, { readonly as: TokenName; readonly openedBy: string }>> = {
  ADMIN: { as: 'alice', openedBy: '@bob' },
  OPENER: { as: 'bob', openedBy: '@bob' },
  PARTICIPANT: { as: 'carol', openedBy: '@bob' },
  OPENING_CONNECTOR: { as: 'discord', openedBy: 'discord' },
  CONNECTOR: { as: 'hub', openedBy: 'discord' },
}

interface Ask {
  readonly id: string
  /** The user of the caller, if it has one. */
  readonly self: string
  /** `user: "…"` where a connector must say whom it speaks for. */
  readonly sender: string
}

/** To name the cases by. */
const EXAMPLE: Ask = { id: 'discord:x', self: 'bob', sender: '' }

const update = (what: string): readonly ((ask: Ask) => string)[] => [
  ({ id }: Ask) => `updateSession(input: { id: "${id}", ${what} })`,
  ...(what.startsWith('inactive') ? [] : [({ id }: Ask) => `openSession(input: { id: "${id}", ${what} })`]),
]

/** Every mutation by which the act can be done. */
const ACTS: Readonly<Record<SessionAct, readonly ((ask: Ask) => string)[]>> = {
  SEND: [
    ({ id, sender }) => `sendMessage(input: { sessionId: "${id}", content: "Hello"${sender} })`,
    ({ id }) => `openSession(input: { id: "${id}" })`,
  ],
  APPEND: [({ id, sender }) => `appendMessage(input: { sessionId: "${id}", content: "Hello"${sender} })`],
  APPEND_AS_AGENT: ['ASSISTANT', 'SYSTEM'].map(
    (role) =>
      ({ id }) =>
        `appendMessage(input: { sessionId: "${id}", content: "Hello", role: ${role} })`,
  ),
  UPDATE: [
    'description: "Mine"',
    'webhook: "https://example.org/hook"',
    'metadata: { a: 1 }',
    'busyPolicy: INTERRUPT',
    'inactive: true',
  ].flatMap(update),
  DELETE: [({ id }) => `deleteSession(input: { id: "${id}" })`],
  ADD_PARTICIPANT: [
    ({ id }) => `addParticipant(input: { sessionId: "${id}", user: "alice" })`,
    ({ id }) => `openSession(input: { id: "${id}", participants: ["alice"] })`,
  ],
  LEAVE: [({ id, self }) => `removeParticipant(input: { sessionId: "${id}", user: "${self}" })`],
  REMOVE_PARTICIPANT: [
    ({ id, self }) => `removeParticipant(input: { sessionId: "${id}", user: "${self === 'bob' ? 'carol' : 'bob'}" })`,
  ],
  CANCEL_TURN: [({ id }) => `cancelTurn(input: { sessionId: "${id}" })`],
  CHECKPOINT: [
    ({ id }) => `checkpointSession(input: { sessionId: "${id}" })`,
    ({ id }) => `openSession(input: { previousSessionId: "${id}" })`,
  ],
  ERASE_USER: [({ id }) => `eraseUser(input: { sessionId: "${id}", user: "bob" })`],
}

let it: SchemaWorld
beforeAll(async () => {
  it = await createSchemaWorld()
})
afterAll(() => it[Symbol.asyncDispose]())

let asked = 0

/** A session in a state in which nothing but rights stands against the act. */
async function seedFor(act: SessionAct, openedBy: string): Promise<string> {
  const id = `discord:rights-${(asked += 1)}`
  await seedSession(it.world.context.database, {
    id,
    openedBy,
    participants: ['bob', 'carol'],
    messages: act === 'CANCEL_TURN' || act === 'CHECKPOINT' || act === 'ERASE_USER' ? 1 : 0,
    newestTurn: act === 'CANCEL_TURN' ? 'RUNNING' : 'DONE',
    type: act === 'ERASE_USER' ? 'GROUP' : 'DIRECT',
  })
  return id
}

const REFUSED = /^(ConflictRefusal|InvalidInputRefusal|FORBIDDEN)$/

const cases = STANDINGS.flatMap((standing) =>
  Object.entries(ACTS).flatMap(([act, mutations]) =>
    mutations.map((mutation) => ({ standing, act: act as SessionAct, mutation, says: mutation(EXAMPLE) })),
  ),
)

test.each(cases)('$standing: $says', async ({ standing, act, mutation }) => {
  const { as, openedBy } = WHO[standing]
  const id = await seedFor(act, openedBy)
  const before = await rowsOf(id)
  const sender = as === 'discord' || as === 'hub' ? ', user: "someone"' : ''
  // Connectors are no users: in place of a name of theirs stands what can be none.
  const question = mutation({ id, self: sender === '' ? as : String.raw`\u0000`, sender })
  const answer = await it.run<Record<string, { __typename: string }>, object>(
    as,
    `mutation { ${question} { __typename } }`,
  )
  const [value] = Object.values(answer.data ?? {})
  const outcome = value?.__typename ?? String(answer.codes[0])
  const allowed: readonly Standing[] = SESSION_RIGHTS[act]
  expect(outcome).toMatch(allowed.includes(standing) ? /Payload$/ : REFUSED)
  // What is refused has changed nothing; of what is allowed only the outcome is checked here.
  expect(allowed.includes(standing) ? before : await rowsOf(id)).toEqual(before)
})

test('there is something to try for every act', () => {
  expect(Object.keys(ACTS)).toEqual(Object.keys(SESSION_RIGHTS))
})

test('of a session from before openers were recorded, the token that opened it is the opener, and no other', async () => {
  const { database } = it.world.context
  for (const [as, connector, expected] of [
    ['bob', 'bob', 'UpdateSessionPayload'],
    ['carol', 'bob', 'ConflictRefusal'],
    ['discord', 'discord', 'UpdateSessionPayload'],
    ['discord', 'hub', 'ConflictRefusal'],
  ] as const) {
    const id = `discord:before-${as}-${connector}`
    await seedSession(database, { id, participants: ['bob', 'carol'] })
    await it.world.sql('UPDATE sessions SET connector = $2 WHERE id = $1', id, connector)
    const { data } = await it.run<Record<string, object>, object>(
      as,
      `mutation { ${update('description: "Old"')[0]?.({ ...EXAMPLE, id })} { __typename } }`,
    )
    expect([as, connector, data]).toEqual([as, connector, { updateSession: { __typename: expected } }])
  }
})

test('docs/security.md has the same table', () => {
  const text = readFileSync(new URL('../../docs/security.md', import.meta.url), 'utf8')
  const shown = Object.keys(SESSION_RIGHTS).map((act) => {
    const line = text.split('\n').find((one) => one.startsWith(`| \`${act}\``)) ?? ''
    return [
      act,
      ...line
        .split('|')
        .slice(3, -1)
        .map((cell) => cell.trim() === 'yes'),
    ]
  })
  const expected = Object.entries(SESSION_RIGHTS).map(([act, allowed]: [string, readonly Standing[]]) => [
    act,
    ...STANDINGS.map((standing) => allowed.includes(standing)),
  ])
  expect(shown).toEqual(expected)
})

async function rowsOf(id: string): Promise<unknown> {
  const sums = [
    'sessions WHERE id',
    'participants WHERE session_id',
    'messages WHERE session_id',
    'turns WHERE session_id',
    'events WHERE session_id',
    'checkpoints WHERE session_id',
  ].map(
    (table) =>
      `SELECT '${table}' AS of, md5(coalesce(string_agg(t::text, '' ORDER BY t::text), '')) AS sum FROM ${table.replace(' WHERE', ' t WHERE')} = $1`,
  )
  return await it.world.sql(sums.join(' UNION ALL '), id)
}
