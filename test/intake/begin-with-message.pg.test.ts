/**
 * A message that finds its session idle begins its turn in the statement that stores it; any other waits. Whether it
 * begins must depend on the session's row as it is under the lock, and what it begins with must be what a worker's own
 * statement would find.
 */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { appendMessage } from '../../src/intake/message/append-message.ts'
import type { IntakeContext } from '../../src/intake/intake-context.ts'
import { openSession } from '../../src/intake/session/open-session.ts'
import { sendMessage, type SendMessageInput } from '../../src/intake/message/send-message.ts'
import { withdrawMessage } from '../../src/intake/message/withdraw-message.ts'
import { must } from '../../src/platform/must.ts'
import { takeSession, type TakenSession } from '../../src/store/turn/begin-turn.ts'
import type { HeldRows } from '../../src/core/dialogue.ts'
import type { AcceptResult } from '../../src/store/intake/accept-message.ts'
import { createWorld, type World } from './intake-world.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
// Each test has bob's share for itself.
afterEach(() => world.sql('UPDATE sessions SET owner = NULL, ready_at = NULL, turn_user = NULL'))
afterAll(async () => {
  await world[Symbol.asyncDispose]()
})

const NODE = 1
interface Sent {
  readonly messageId: string
  /** Null: the message waits. */
  readonly taken: TakenSession | null
}

interface Sending {
  readonly by?: 'alice' | 'bob'
  /** What the process holds of what was said in the session. */
  readonly held?: HeldRows | null
}

/** Sends to a worker that has a slot. */
async function send(
  sessionId: string,
  { by = 'bob', held = null, ...input }: Partial<SendMessageInput> & Sending = {},
  on = world,
): Promise<Sent> {
  let accepted: AcceptResult | null = null
  const worker: IntakeContext['worker'] = {
    takeWith: async (_sessionId, accept) => {
      const result = await accept({ node: NODE, held })
      accepted = result
      return result
    },
  }
  const answer = await sendMessage({ ...on.context, worker }, on.as(by), { sessionId, content: 'first', ...input })
  if (answer.kind !== 'Accepted') throw new Error(JSON.stringify(answer))
  const result = must<AcceptResult>(accepted, 'the worker was asked')
  return { messageId: answer.messageId, taken: result.kind === 'Accepted' ? result.taken : null }
}

/** As another process sends, whose worker has no slot: what it sends waits. */
const sendToWait = (sessionId: string, on = world) =>
  sendMessage(on.context, on.as('bob'), { sessionId, content: 'waits' })

const session = async (id: string) => (await world.sql('SELECT * FROM sessions WHERE id = $1', id))[0]
const change = (id: string, set: string) => world.sql(`UPDATE sessions SET ${set} WHERE id = $1`, id)
const audited = async (id: string): Promise<unknown[]> => {
  const rows = await world.sql(`SELECT data->>'change' AS change FROM audit_entries WHERE session_id = $1`, id)
  return rows.map((row) => row['change'])
}

/** A session that is there and idle. */
async function openIdle(id: string): Promise<void> {
  expect(await openSession(world.context, world.as('bob'), { id })).toMatchObject({ kind: 'Opened' })
}

test('the first message of a new session begins', async () => {
  const { messageId, taken } = await send('@bob:new', { content: 'hello' })
  expect(taken).toMatchObject({
    lease: { sessionId: '@bob:new', node: NODE, epoch: 1 },
    begun: {
      turn: { seq: 1, messageId, userName: 'bob', participates: true, content: 'hello', waiting: 0, resumed: false },
      events: [{ type: 'PipelineStep', step: 'RECEIVED', seq: 2 }],
    },
  })
  expect(await session('@bob:new')).toMatchObject({
    status: 'RUNNING',
    owner: NODE,
    epoch: 1,
    last_seq: 2,
    queue_length: 0,
    message_count: 1,
  })
  expect(await world.sql('SELECT status FROM messages WHERE id = $1', messageId)).toEqual([{ status: 'PROCESSING' }])
  const turns = await world.sql(
    'SELECT status, step, started_at = created_at AS now FROM turns WHERE message_id = $1',
    messageId,
  )
  expect(turns).toEqual([{ status: 'RUNNING', step: 'RECEIVED', now: true }])
  expect(await world.log('@bob:new')).toEqual(['1 MessageReceived', '2 PipelineStep'])
  expect(await audited('@bob:new')).toEqual(['OPENED'])
})

test('what it begins with is what a worker finds that takes the session', async () => {
  const begun: unknown[] = []
  for (const [id, at] of [
    ['@bob:at-once', NODE],
    ['@bob:taken', null],
  ] as const) {
    await openIdle(id)
    await appendMessage(world.context, world.as('bob'), { sessionId: id, content: 'said before', messageId: `m-${id}` })
    if (at === null) {
      await sendMessage(world.context, world.as('bob'), { sessionId: id, content: 'now' })
      const limits = world.context.config.current().settings
      begun.push(await takeSession(world.context.database, { sessionId: id, node: NODE }, { at: new Date(), limits }))
    } else begun.push((await send(id, { content: 'now' })).taken)
  }
  const same = {
    lease: { node: NODE, epoch: 1 },
    begun: { turn: { saidBefore: { said: { messages: [{ content: 'said before' }] } } } },
  }
  expect(begun).toMatchObject([same, same])
  const [atOnce, taken] = begun.map(withoutVariety)
  expect(taken).toMatchObject({
    begun: {
      events: [
        { type: 'MessageUpdated', seq: 4 },
        { step: 'RECEIVED', seq: 5 },
      ],
    },
  })
  expect(atOnce).toMatchObject({ begun: { events: [{ step: 'RECEIVED', seq: 4 }] } })
  expect(turnOf(atOnce)).toEqual(turnOf(taken))
})

function turnOf(taken: unknown): unknown {
  return (taken as { begun: { turn: unknown } } | null)?.begun.turn
}

test('a second message waits while the first one runs, and begins when that has ended', async () => {
  const first = await send('@bob:second')
  expect(first.taken).not.toBeNull()
  expect((await send('@bob:second')).taken).toBeNull()
  expect(await session('@bob:second')).toMatchObject({
    status: 'RUNNING',
    owner: NODE,
    epoch: 1,
    queue_length: 1,
    last_seq: 3,
  })
})

test.each([
  ['runs elsewhere', 'owner = 7'],
  ['has work that nobody has taken', 'ready_at = now()'],
  ['has messages that wait', 'queue_length = 1'],
  ['awaits an approval', `status = 'AWAITING_APPROVAL'`],
  ['waits for its budget', `status = 'RUNNING'`],
])('a message waits in a session that %s', async (_what, set) => {
  const id = `@bob:${set.replaceAll(/\W/g, '')}`
  await openIdle(id)
  await change(id, set)
  const before = await session(id)
  expect((await send(id)).taken).toBeNull()
  const { owner, epoch, status } = must(before, 'it is there')
  expect(await session(id)).toMatchObject({ owner, epoch, status })
})

test('one that has no turn does not begin; a session that was left is woken', async () => {
  await openIdle('@bob:group')
  await change('@bob:group', `source_type = 'GROUP', status = 'INACTIVE'`)
  const noted = await send('@bob:group', { mentioned: false })
  expect(noted.taken).toBeNull()
  expect(await session('@bob:group')).toMatchObject({ status: 'IDLE', owner: null })
  await change('@bob:group', `status = 'INACTIVE'`)
  expect((await send('@bob:group', { mentioned: true })).taken?.begun.turn).toMatchObject({ conversationType: 'GROUP' })
})

test('a message does not interrupt the turn that it begins', async () => {
  await openIdle('@bob:interrupt')
  await change('@bob:interrupt', `busy_policy = 'INTERRUPT'`)
  const { messageId, taken } = await send('@bob:interrupt')
  expect(taken?.begun.turn.busyPolicy).toBe('INTERRUPT')
  expect(await world.sql('SELECT cancel_requested FROM turns WHERE message_id = $1', messageId)).toEqual([
    { cancel_requested: false },
  ])
})

test('a session that the process still holds begins, is full, or is opened anew when it is gone', async () => {
  const held = { rows: { messages: [], answers: [], hasMore: false }, seq: 1, turnId: 'turn_gone' }
  await openIdle('@bob:held')
  expect((await send('@bob:held', { held })).taken).toMatchObject({ begun: { turn: { seq: 2 } } })
  await change('@bob:held', 'queue_length = 100')
  await expect(send('@bob:held', { held })).rejects.toThrow('messages wait in session')
  expect((await send('@bob:gone', { held })).taken).toMatchObject({ lease: { epoch: 1 }, begun: { turn: { seq: 1 } } })
  expect(await audited('@bob:gone')).toEqual(['OPENED'])
})

test('the same message sent again begins nothing', async () => {
  const first = await send('@bob:again', { idempotencyKey: 'k' })
  const again = await send('@bob:again', { idempotencyKey: 'k' })
  expect(again).toEqual({ messageId: first.messageId, taken: null })
  expect(await session('@bob:again')).toMatchObject({ last_seq: 2, epoch: 1, queue_length: 0 })
})

test('one that had to wait for the end of a turn waits on: it could not see what that turn said', async () => {
  await openIdle('@bob:ends')
  await sendToWait('@bob:ends')
  const running = must(await world.begin('@bob:ends'), 'a turn runs')
  const [, sent] = await world.interleave(
    (first) => running.end('DONE', first),
    () => send('@bob:ends'),
  )
  expect(sent.taken).toBeNull()
  expect(await session('@bob:ends')).toMatchObject({ status: 'IDLE', owner: null, queue_length: 1 })
  expect(must(await session('@bob:ends'), 'it is there')['ready_at']).not.toBeNull()
})

test('nor does it begin after what was said while it waited', async () => {
  await openIdle('@bob:said')
  const [, sent] = await world.interleave(
    (first) =>
      appendMessage(first.context, first.as('bob'), { sessionId: '@bob:said', content: 'said', messageId: 'm' }),
    () => send('@bob:said'),
  )
  expect(sent.taken).toBeNull()
  expect((await world.begin('@bob:said'))?.turn.saidBefore.said.messages).toMatchObject([{ content: 'said' }])
})

test('of two at once in a new session one begins', async () => {
  const [first, second] = await world.interleave(
    (uncommitted) => send('@bob:two', {}, uncommitted),
    () => send('@bob:two'),
  )
  expect(first.taken).not.toBeNull()
  expect(second.taken).toBeNull()
  expect(await session('@bob:two')).toMatchObject({ queue_length: 1, epoch: 1, last_seq: 3, status: 'RUNNING' })
})

test('a session that is opened at the same moment takes the message, which waits', async () => {
  const [, sent] = await world.interleave(
    (first) => openSession(first.context, first.as('alice'), { id: 'cli:opens' }),
    () => send('cli:opens', { by: 'alice' }),
  )
  expect(sent.taken).toBeNull()
  expect(await session('cli:opens')).toMatchObject({ queue_length: 1, last_seq: 2, owner: null })
})

test('one that waited for the withdrawal of another is left to a worker', async () => {
  await openIdle('@bob:withdrawn')
  const waiting = await sendToWait('@bob:withdrawn')
  if (waiting.kind !== 'Accepted') throw new Error('it is accepted')
  const [, sent] = await world.interleave(
    (first) => withdrawMessage(first.context, first.as('bob'), { id: waiting.messageId }),
    () => send('@bob:withdrawn'),
  )
  expect(sent.taken).toBeNull()
  expect((await world.begin('@bob:withdrawn'))?.turn.messageId).toBe(sent.messageId)
})

/** Ids and times differ from one session to another. */
function withoutVariety(value: unknown): unknown {
  const text = JSON.stringify(value)
  return JSON.parse(
    text
      .replaceAll(/"(msg|turn)_[0-9a-z]+"/g, '"$1"')
      .replaceAll(/"\d{4}-\d\d-\d\dT[^"]+"/g, '"time"')
      .replaceAll(/b:(at-once|taken)/g, 'b'),
  )
}
