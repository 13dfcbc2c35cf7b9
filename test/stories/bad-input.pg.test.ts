/**
 * Input that breaks a rule: a clear, typed answer that says where and what would be right; nothing is stored, nothing
 * is lost.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { ApiClient } from '../harness/api-client.ts'
import { converse, Story, watchAll } from '../harness/story.ts'
import {
  AddParticipantDocument,
  AppendMessageDocument,
  CancelTurnDocument,
  DeleteSessionDocument,
  EditQueuedMessageDocument,
  MessageDocument,
  NodeDocument,
  OpenSessionDocument,
  RemoveParticipantDocument,
  SendMessageDocument,
  SessionDocument,
  SessionMessagesDocument,
  SessionsDocument,
  SessionTurnsDocument,
  TasksDocument,
  TurnDocument,
  UpdateSessionDocument,
  WithdrawMessageDocument,
} from '../generated/graphql.ts'

const KIB = 1024
const ID = 'cli:there'
const HALF_A_CHARACTER = 'half \uD83D of a pair'

let story: Story
let ada: ApiClient
beforeAll(async () => {
  story = await Story.begin({ config: { settings: { requests_per_minute: 10_000 } } })
  ada = story.as('ada')
  await converse(ada, ID, 'run: echo there')
})
afterAll(() => story[Symbol.asyncDispose]())

/** All that there is, as far as lists tell. */
async function readAll(): Promise<unknown> {
  return ada.run(SessionsDocument, { first: 100, filter: { includeInactive: true } })
}

/** The refusal of a mutation, whichever it is. */
async function refusalOf(request: Promise<{ data: object | null; errors: unknown }>): Promise<unknown> {
  const { data, errors } = await request
  return data === null ? { errors } : Object.values(data)[0]
}

function issue(path: string, message: RegExp) {
  return {
    __typename: 'InvalidInputRefusal',
    code: 'INVALID_INPUT',
    // Who asks for the sentence alone reads what it is about, too.
    problem: expect.stringMatching(new RegExp(`(^${path.replaceAll('.', '\\.')}: )|(^[A-Z])`)),
    issues: [{ path: path.split('.'), problem: expect.stringMatching(message) }],
  }
}

const SESSION_ID_RULE = /^must be 1 to 255 characters out of letters, digits and _ @ \. : -$/
const CONTENT = [
  ['nothing', '', /^must not be empty$/],
  ['one byte too many', 'x'.repeat(256 * KIB + 1), /at most 262144 bytes \(256 KiB\) of UTF-8, not 262145$/],
  ['few characters, too many bytes', '€'.repeat(90_000), /at most 262144 bytes .* not 270000$/],
  ['NUL', 'a\0b', /must not contain the NUL character \(found at position 1\)$/],
  ['half of a surrogate pair', HALF_A_CHARACTER, /must be well-formed Unicode .* position 5\)$/],
] as const
const KEYS = [
  ['empty', '', /^must not be empty$/],
  ['too long', 'k'.repeat(256), /^must be at most 255 characters long, not 256$/],
  ['with NUL', 'k\0', /NUL/],
] as const

let before: unknown
beforeEach(async () => {
  before = await readAll()
})

describe('a session id', () => {
  test.each([
    ['empty', ''],
    ['with a space', 'my session'],
    ['that is a path', '../../etc'],
    ['with letters of other alphabets', 'web:günther'],
    ['with NUL', 'web:\0'],
    ['too long', 'x'.repeat(256)],
  ])('%s is refused wherever one is given', async (_, id) => {
    const refusals = await Promise.all([
      refusalOf(ada.request(OpenSessionDocument, { input: { id } })),
      refusalOf(ada.request(UpdateSessionDocument, { input: { id } })),
      refusalOf(ada.request(DeleteSessionDocument, { id })),
      refusalOf(ada.request(SendMessageDocument, { input: { sessionId: id, content: 'Hello' } })),
      refusalOf(ada.request(AppendMessageDocument, { input: { sessionId: id, content: 'Hello' } })),
      refusalOf(ada.request(CancelTurnDocument, { sessionId: id })),
      refusalOf(ada.request(AddParticipantDocument, { sessionId: id, user: 'ben' })),
      refusalOf(ada.request(RemoveParticipantDocument, { sessionId: id, user: 'ben' })),
    ])
    const paths = ['id', 'id', 'id', 'sessionId', 'sessionId', 'sessionId', 'sessionId', 'sessionId']
    expect(refusals).toMatchObject(paths.map((path) => issue(path, SESSION_ID_RULE)))
    // Asked for, it is simply not there.
    expect(await ada.run(SessionDocument, { id })).toEqual({ session: null })
    expect(await ada.run(NodeDocument, { id })).toEqual({ node: null })
    expect(await watchAll(ada, id).ended).toMatch(/NOT_FOUND|BAD_USER_INPUT/)
    expect(await readAll()).toEqual(before)
  })

  test('that looks like the id of something else is refused', async () => {
    const { turns } = (await ada.run(SessionTurnsDocument, { id: ID })).session ?? {}
    const id = turns?.edges[0]?.node.message.id ?? ''
    const refusal = await refusalOf(ada.request(OpenSessionDocument, { input: { id } }))
    expect(refusal).toMatchObject(issue('id', /must not look like the id of a message/))
  })
})

describe('the content of a message', () => {
  test.each(CONTENT)('that holds %s is refused, sent or put on record', async (_, content, message) => {
    const send = ada.request(SendMessageDocument, { input: { sessionId: 'cli:new', content } })
    expect(await refusalOf(send)).toMatchObject(issue('content', message))
    const append = ada.request(AppendMessageDocument, { input: { sessionId: ID, content } })
    expect(await refusalOf(append)).toMatchObject(issue('content', message))
    const edit = ada.request(EditQueuedMessageDocument, { id: 'msg_whatever', content })
    expect(await refusalOf(edit)).toMatchObject(issue('content', message))
    expect(await ada.run(SessionDocument, { id: 'cli:new' })).toEqual({ session: null })
    expect(await readAll()).toEqual(before)
  })

  test('may be 256 KiB long, and of any characters', async () => {
    const content = `x\u202E\u0001\u{1F600}\uFFFF\r\n${'ä'.repeat(128 * KIB - 7)}`
    expect(Buffer.byteLength(content)).toBe(256 * KIB)
    const { message, status } = await converse(ada, 'cli:large', content)
    expect(status).toBe('DONE')
    expect(message.content === content).toBe(true)
  })

  test.each(KEYS)('cannot be sent with a key that is %s', async (_, key, message) => {
    const input = { sessionId: ID, content: 'Hello' }
    const send = ada.request(SendMessageDocument, { input: { ...input, idempotencyKey: key } })
    expect(await refusalOf(send)).toMatchObject(issue('idempotencyKey', message))
    const append = ada.request(AppendMessageDocument, { input: { ...input, messageId: key } })
    expect(await refusalOf(append)).toMatchObject(issue('messageId', message))
    expect(await readAll()).toEqual(before)
  })

  test('everything that is wrong is told at once', async () => {
    const input = { sessionId: ID, content: '', idempotencyKey: '' }
    expect(await refusalOf(ada.request(SendMessageDocument, { input }))).toMatchObject({
      issues: [{ path: ['content'] }, { path: ['idempotencyKey'] }],
    })
  })
})

describe('a user', () => {
  test.each(['nobody', '', 'Ada', 'ada ', '__proto__', 'constructor', 'a\0', HALF_A_CHARACTER])(
    '%j, whom the configuration does not know, cannot take part',
    async (user) => {
      const add = ada.request(AddParticipantDocument, { sessionId: ID, user })
      expect(await refusalOf(add)).toMatchObject(issue('user', /is no user of this server/))
      const input = { id: 'cli:new', participants: ['ben', user] }
      const open = ada.request(OpenSessionDocument, { input })
      expect(await refusalOf(open)).toMatchObject(issue('participants.1', /is no user/))
      expect(await readAll()).toEqual(before)
    },
  )

  test.each(['', 'x'.repeat(256), 'a\0', HALF_A_CHARACTER])('%j is no identity on a platform', async (user) => {
    const input = { sessionId: 'bridge:new', content: 'Hello', user }
    const send = story.as('bridge').request(SendMessageDocument, { input })
    expect(await refusalOf(send)).toMatchObject(issue('user', /must be 1 to 255 characters without NUL/))
    expect(await readAll()).toEqual(before)
  })
})

describe('metadata', () => {
  const deep = (levels: number): unknown => (levels === 0 ? 1 : { in: deep(levels - 1) })
  test.each([
    ['a text', 'text', /^must be a JSON object/],
    ['a list', [1, 2], /^must be a JSON object/],
    ['too large', { key: 'x'.repeat(16 * KIB) }, /must not make the session's metadata larger than 16384 bytes/],
    ['too deep', deep(20), /must not be nested deeper than 16 levels/],
    ['with NUL', { key: 'a\0b' }, /NUL/],
    ['with half of a character', { [HALF_A_CHARACTER]: 1 }, /well-formed Unicode/],
  ])('that is %s is refused', async (_, metadata, message) => {
    const open = ada.request(OpenSessionDocument, { input: { id: 'cli:new', metadata } })
    expect(await refusalOf(open)).toMatchObject(issue('metadata', message))
    const update = ada.request(UpdateSessionDocument, { input: { id: ID, metadata } })
    expect(await refusalOf(update)).toMatchObject(issue('metadata', message))
    expect(await readAll()).toEqual(before)
  })

  test('that is deeper or larger than any value may be never gets as far', async () => {
    for (const metadata of [deep(33), { key: 'x'.repeat(64 * KIB) }]) {
      const { data, errors } = await ada.request(UpdateSessionDocument, { input: { id: ID, metadata } })
      expect({ data, errors }).toMatchObject({ data: null, errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] })
    }
    expect(await readAll()).toEqual(before)
  })
})

describe('a moment', () => {
  test.each(['yesterday', '2026-11-21', '2026-11-21T15:30:00', '2026-13-01T00:00:00Z', '2026-02-30T00:00:00Z', '', 0])(
    '%j is none',
    async (createdAt) => {
      const input = { sessionId: ID, content: 'Hello', createdAt }
      const { data, errors } = await ada.request(String(AppendMessageDocument), { input })
      expect({ data, errors }).toMatchObject({
        data: null,
        errors: [{ message: expect.stringMatching(/RFC 3339/), extensions: { code: 'BAD_USER_INPUT' } }],
      })
      expect(await readAll()).toEqual(before)
    },
  )

  test.each(['9999-12-31T23:59:59Z', '1969-12-31T23:59:59Z'])(
    '%j is not when a message was written',
    async (createdAt) => {
      const append = ada.request(AppendMessageDocument, { input: { sessionId: ID, content: 'Hello', createdAt } })
      expect(await refusalOf(append)).toMatchObject(issue('createdAt', /^must lie between 1970 and now/))
      expect(await readAll()).toEqual(before)
    },
  )
})

describe('a page', () => {
  const badInput = (message: RegExp) => [
    { message: expect.stringMatching(message), extensions: { code: 'BAD_USER_INPUT' } },
  ]

  test.each([0, -1, 101, 2 ** 31 - 1])('of %d things cannot be asked for', async (first) => {
    const message = new RegExp(`"first" must be 1 to \\d+; it is ${first}\\.`)
    for (const request of [
      ada.request(SessionsDocument, { first }),
      ada.request(TasksDocument, { first }),
      ada.request(SessionMessagesDocument, { id: ID, first }),
      ada.request(SessionTurnsDocument, { id: ID, first }),
    ]) {
      expect((await request).errors).toMatchObject(badInput(message))
    }
    const last = await ada.request(SessionMessagesDocument, { id: ID, last: first })
    expect(last.errors).toMatchObject(badInput(/"last" must be 1 to 100/))
  })

  test('of events is larger, and not without end', async () => {
    const events =
      'query ($id: ID!, $first: Int, $last: Int) { session(id: $id) { events(first: $first, last: $last) { edges { cursor } } } }'
    for (const size of [0, 501]) {
      for (const end of ['first', 'last']) {
        const { errors } = await ada.request(events, { id: ID, [end]: size })
        expect(errors).toMatchObject(badInput(new RegExp(`"${end}" must be 1 to 500; it is ${size}\\.`)))
      }
    }
    expect((await ada.request(events, { id: ID, first: 500 })).errors).toEqual([])
  })

  test.each(['', 'garbage', 'bm8gY3Vyc29y', 'x'.repeat(5000), '../../etc'])('cannot begin at %j', async (after) => {
    const message =
      /"after" is not a cursor of this list\. Pass a cursor that the same list returned, or leave it out\./
    expect((await ada.request(SessionsDocument, { after })).errors).toMatchObject(badInput(message))
    expect((await ada.request(SessionMessagesDocument, { id: ID, after })).errors).toMatchObject(badInput(message))
  })

  test('cannot begin at a cursor of another list, or count from both ends', async () => {
    const { sessions } = await ada.run(SessionsDocument, { first: 1 })
    const after = sessions.edges[0]?.cursor ?? ''
    const ofAnother = await ada.request(TasksDocument, { after })
    expect(ofAnother.errors).toMatchObject(badInput(/"after" is not a cursor of this list/))
    const both = await ada.request(SessionMessagesDocument, { id: ID, first: 1, last: 1 })
    expect(both.errors).toMatchObject(badInput(/"first" or "last", not both/))
  })
})

test('the id of something that is not there, or is no id at all, is not found', async () => {
  for (const id of ['msg_01jdzzzzzzzzzzzzzzzzzzzzzz', 'msg_', 'nonsense', '', '\0', HALF_A_CHARACTER]) {
    expect(await ada.run(MessageDocument, { id })).toEqual({ message: null })
    expect(await ada.run(TurnDocument, { id })).toEqual({ turn: null })
    const withdrawn = await refusalOf(ada.request(WithdrawMessageDocument, { id }))
    expect(withdrawn).toMatchObject({ __typename: 'NotFoundRefusal', code: 'NOT_FOUND', missingId: id })
  }
})

test('after all of that, the next good message is worked on as if nothing had been', async () => {
  expect(await converse(ada, ID, 'run: echo still here')).toMatchObject({
    status: 'DONE',
    tasks: [{ output: 'still here\n' }, { final: true }],
  })
})
