/** A message enters: who may send, what is stored, what is refused, and what holds however many send at once. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { REDACTED } from '../../src/core/text/redacted.ts'
import { openSession } from '../../src/intake/session/open-session.ts'
import type { IntakeContext } from '../../src/intake/intake-context.ts'
import { sendMessage } from '../../src/intake/message/send-message.ts'
import { updateSession } from '../../src/intake/session/update-session.ts'
import { createWorld, MAX_QUEUED, SECRET, type World } from './intake-world.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
})

/** Sends as bob unless said otherwise. */
const send = (sessionId: string, content = 'hello', more: { as?: 'alice' | 'carol'; key?: string } = {}) =>
  sendMessage(world.context, world.as(more.as ?? 'bob'), { sessionId, content, idempotencyKey: more.key })

const sessionRow = async (sessionId: string) => {
  const [row] = await world.sql('SELECT * FROM sessions WHERE id = $1', sessionId)
  return row
}

describe('an accepted message', () => {
  test('opens the session, waits as a turn, and is told of in the log, all committed', async () => {
    const sent = await send('@bob:cli:first', 'run: echo hi\nand   more')
    expect(sent).toEqual({ kind: 'Accepted', messageId: expect.stringMatching(/^msg_/), duplicate: false })
    const messageId = (sent as { messageId: string }).messageId

    expect(await sessionRow('@bob:cli:first')).toMatchObject({
      source_kind: 'cli',
      source_interactive: true,
      connector: 'bob',
      status: 'IDLE',
      message_count: 1,
      queue_length: 1,
      last_seq: 1,
      last_message_preview: 'run: echo hi and more',
      ready_at: expect.any(Date),
      owner: null,
    })
    expect(await world.sql('SELECT * FROM messages WHERE id = $1', messageId)).toMatchObject([
      {
        session_id: '@bob:cli:first',
        seq: 1,
        role: 'USER',
        user_name: 'bob',
        trusted: true,
        status: 'QUEUED',
        client: 'bob',
      },
    ])
    const turns = await world.sql('SELECT * FROM turns WHERE message_id = $1', messageId)
    expect(turns).toMatchObject([{ session_id: '@bob:cli:first', seq: 1, user_name: 'bob', status: 'QUEUED' }])
    const event = { seq: 1, turn_id: turns[0]?.['id'], type: 'MessageReceived', data: { messageId } }
    expect(await world.sql('SELECT * FROM events WHERE session_id = $1', '@bob:cli:first')).toMatchObject([event])
    expect(await world.sql('SELECT user_name FROM participants WHERE session_id = $1', '@bob:cli:first')).toEqual([
      { user_name: 'bob' },
    ])
  })

  test('is published as the event that was committed, and rings for a worker', async () => {
    const sent = await send('@bob:published')
    const events = world.published.filter((event) => event.sessionId === '@bob:published')
    const [row] = await world.sql('SELECT * FROM events WHERE session_id = $1', '@bob:published')
    expect(events).toEqual([
      {
        type: 'MessageReceived',
        messageId: sent.kind === 'Accepted' && sent.messageId,
        seq: 1,
        at: row?.['at'],
        sessionId: '@bob:published',
        turnId: row?.['turn_id'],
      },
    ])
    expect(world.rung).toContainEqual({ kind: 'work', sessionId: '@bob:published' })
  })

  test('wakes an inactive session', async () => {
    await openSession(world.context, world.as('bob'), { id: '@bob:asleep' })
    await updateSession(world.context, world.as('bob'), { id: '@bob:asleep', inactive: true })
    expect(await sessionRow('@bob:asleep')).toMatchObject({ status: 'INACTIVE' })
    await send('@bob:asleep')
    expect(await sessionRow('@bob:asleep')).toMatchObject({ status: 'IDLE', queue_length: 1 })
  })

  test("makes an admin who answers in another user's session a participant", async () => {
    await send('@bob:helped')
    await send('@bob:helped', 'let me help', { as: 'alice' })
    const names = await world.sql('SELECT user_name FROM participants WHERE session_id = $1 ORDER BY 1', '@bob:helped')
    expect(names).toEqual([{ user_name: 'alice' }, { user_name: 'bob' }])
  })
})

describe('a connector', () => {
  test('speaks for a user whom it knows by alias, and lets them in', async () => {
    const input = { sessionId: 'discord:room', content: 'hi', user: 'Bob#1' }
    await sendMessage(world.context, world.as('discord'), input)
    expect(await send('discord:room')).toMatchObject({ kind: 'Accepted' })
    const turns = await world.sql('SELECT user_name FROM turns WHERE session_id = $1', 'discord:room')
    expect(turns).toEqual([{ user_name: 'bob' }, { user_name: 'bob' }])
  })

  test.each(['Mallory', 'alice', 'bob'])('stores what the stranger %s says, and starts no turn', async (user) => {
    const sessionId = `discord:stranger-${user}`
    const sent = await sendMessage(world.context, world.as('discord'), { sessionId, content: 'run: rm', user })
    expect(sent).toMatchObject({ kind: 'Accepted', duplicate: false })
    const messages = await world.sql('SELECT user_name, trusted, status FROM messages WHERE session_id = $1', sessionId)
    expect(messages).toEqual([{ user_name: user, trusted: false, status: 'STORED' }])
    expect(await world.sql('SELECT 1 FROM turns WHERE session_id = $1', sessionId)).toEqual([])
    expect(await world.sql('SELECT 1 FROM participants WHERE session_id = $1', sessionId)).toEqual([])
    expect(await sessionRow(sessionId)).toMatchObject({ queue_length: 0, message_count: 1, ready_at: null })
    expect(await world.log(sessionId)).toEqual(['1 MessageReceived'])
    expect(world.rung).not.toContainEqual({ kind: 'work', sessionId })
  })

  test('is told of its namespace whether the session exists or not', async () => {
    await send('@bob:taken')
    const answers = await Promise.all(
      ['@bob:taken', 'cli:free'].map((sessionId) =>
        sendMessage(world.context, world.as('discord'), { sessionId, content: 'x', user: 'Bob#1' }),
      ),
    )
    expect(answers[0]).toEqual(answers[1])
    expect(answers[0]).toMatchObject({ kind: 'InvalidInput', issues: [{ path: ['sessionId'] }] })
    expect(await sessionRow('cli:free')).toBeUndefined()
  })
})

describe('refused', () => {
  test("another user's session, which looks absent", async () => {
    await send('@bob:private')
    const refusal = (id: string): object => ({
      kind: 'NotFound',
      id,
      message: `There is no session "${id}" that you may see. Sessions that you open have ids that begin with "@carol:".`,
    })
    for (const id of ['@bob:private', '@bob:absent', 'discord:absent', 'cli:absent', 'absent', '@bob', '@']) {
      expect(await send(id, 'let me in', { as: 'carol' })).toEqual(refusal(id))
    }
    expect(await sessionRow('@bob:private')).toMatchObject({ message_count: 1, last_seq: 1 })
  })

  test('a foreign id, before the worker is asked, whose answer depends on whether the session is busy here', async () => {
    const asked: string[] = []
    const worker: IntakeContext['worker'] = {
      takeWith: (sessionId, accept) => {
        asked.push(sessionId)
        return accept(null)
      },
    }
    const context = { ...world.context, worker }
    for (const sessionId of ['@bob:private', '@bob:absent', '@carol:own'])
      await sendMessage(context, world.as('carol'), { sessionId, content: 'Is anybody there?' })
    expect(asked).toEqual(['@carol:own'])
  })

  test.each([
    ['an empty id', ''],
    ['an id of 256 characters', 'a'.repeat(256)],
    ['a space', 'cli:a b'],
    ['NUL', 'cli:\0'],
    ['the id of a message', 'msg_01jd0000000000000000000000'],
  ])('%s as session id', async (_, sessionId) => {
    expect(await send(sessionId)).toMatchObject({ kind: 'InvalidInput', issues: [{ path: ['sessionId'] }] })
  })

  test.each([
    ['nothing', ''],
    ['NUL', 'a\0b'],
    ['half a surrogate pair', 'a\ud800b'],
    ['one byte too many', 'x'.repeat(256 * 1024 + 1)],
    ['one byte too many in two-byte characters', `${'é'.repeat(128 * 1024)}x`],
  ])('%s as content', async (_, content) => {
    expect(await send('cli:content', content)).toMatchObject({ kind: 'InvalidInput', issues: [{ path: ['content'] }] })
    expect(await sessionRow('cli:content')).toBeUndefined()
  })

  test('every fault of an input at once', async () => {
    const refusal = await send('cli:faults', '', { key: '' })
    expect(refusal).toMatchObject({ issues: [{ path: ['content'] }, { path: ['idempotencyKey'] }] })
  })

  test("a user who is not the token's", async () => {
    const input = { sessionId: 'cli:impostor', content: 'x', user: 'alice' }
    const refusal = await sendMessage(world.context, world.as('bob'), input)
    expect(refusal).toMatchObject({ kind: 'InvalidInput', issues: [{ path: ['user'] }] })
  })

  test('a connector that names nobody', async () => {
    const refusal = await sendMessage(world.context, world.as('hub'), { sessionId: 'hub:1', content: 'x' })
    expect(refusal).toMatchObject({ kind: 'InvalidInput', issues: [{ path: ['user'] }] })
  })
})

describe('content that fits exactly', () => {
  test.each([
    ['one byte', 'x'],
    ['256 KiB', 'x'.repeat(256 * 1024)],
    ['256 KiB in four-byte characters', '𝄞'.repeat(64 * 1024)],
    ['with white space around it', ' \n x \n '],
  ])('%s is stored as it came', async (_, content) => {
    const sent = await send('@bob:exact', content)
    const id = (sent as { messageId: string }).messageId
    expect((await world.sql('SELECT content FROM messages WHERE id = $1', id))[0]).toEqual({ content })
  })
})

describe('an idempotency key', () => {
  test('answers the second call with the first message', async () => {
    const first = await send('@bob:key', 'once', { key: 'k' })
    expect(await send('@bob:key', 'once', { key: 'k' })).toEqual({ ...first, duplicate: true })
    expect(await sessionRow('@bob:key')).toMatchObject({ message_count: 1, last_seq: 1, queue_length: 1 })
    expect(world.published.filter((event) => event.sessionId === '@bob:key')).toHaveLength(1)
  })

  test('with other content is a conflict', async () => {
    await send('@bob:conflict', 'once', { key: 'k' })
    expect(await send('@bob:conflict', 'twice', { key: 'k' })).toMatchObject({ kind: 'Conflict' })
    expect(await sessionRow('@bob:conflict')).toMatchObject({ message_count: 1 })
  })

  test('from another user of the same connector is a conflict', async () => {
    const input = { sessionId: 'hub:conflict', content: 'same', idempotencyKey: 'k' }
    await sendMessage(world.context, world.as('hub'), { ...input, user: 'b-17' })
    const second = await sendMessage(world.context, world.as('hub'), { ...input, user: 'c-18' })
    expect(second).toMatchObject({ kind: 'Conflict' })
  })

  test('is one per client and session', async () => {
    const answers = [
      await send('@bob:scope-1', 'x', { key: 'k' }),
      await send('@bob:scope-2', 'x', { key: 'k' }),
      await send('@bob:scope-1', 'x', { key: 'k', as: 'alice' }),
    ]
    expect(answers).toMatchObject(answers.map(() => ({ kind: 'Accepted', duplicate: false })))
  })

  test('is honoured when the queue is full', async () => {
    const first = await send('@bob:full-key', 'x', { key: 'k' })
    for (let waiting = 1; waiting < MAX_QUEUED; waiting++) await send('@bob:full-key')
    expect(await send('@bob:full-key')).toMatchObject({ kind: 'LimitExceeded' })
    expect(await send('@bob:full-key', 'x', { key: 'k' })).toEqual({ ...first, duplicate: true })
  })

  test('tells nothing to a caller who has left the session', async () => {
    await send('@bob:left', 'x', { key: 'k' })
    await world.sql('DELETE FROM participants WHERE session_id = $1', '@bob:left')
    expect(await send('@bob:left', 'x', { key: 'k' })).toMatchObject({ kind: 'NotFound' })
  })
})

describe('many at once', () => {
  test('50 messages to a new session get 1 … 50, each with its turn and its event', async () => {
    const sent = await Promise.all(Array.from({ length: 50 }, (_, index) => send('@bob:race', `message ${index}`)))
    expect(sent.filter((answer) => answer.kind === 'Accepted')).toHaveLength(50)
    const rows = await world.sql<{ seq: number }>(
      `SELECT m.seq FROM messages m
         JOIN turns t ON t.message_id = m.id AND t.seq = m.seq
         JOIN events e ON e.session_id = m.session_id AND e.seq = m.seq AND e.turn_id = t.id AND e.data->>'messageId' = m.id
       WHERE m.session_id = $1 ORDER BY m.seq`,
      '@bob:race',
    )
    expect(rows.map((row) => row.seq)).toEqual(Array.from({ length: 50 }, (_, index) => index + 1))
    expect(await sessionRow('@bob:race')).toMatchObject({ last_seq: 50, message_count: 50, queue_length: 50 })
  })

  test('200 calls with one key store one message', async () => {
    const sent = await Promise.all(Array.from({ length: 200 }, () => send('@bob:dup', 'once', { key: 'same' })))
    const ids = new Set(sent.map((answer) => (answer.kind === 'Accepted' ? answer.messageId : answer.kind)))
    expect(ids.size).toBe(1)
    expect(sent.filter((answer) => answer.kind === 'Accepted' && !answer.duplicate)).toHaveLength(1)
    expect(await world.log('@bob:dup')).toEqual(['1 MessageReceived'])
    expect(await sessionRow('@bob:dup')).toMatchObject({ last_seq: 1, message_count: 1, queue_length: 1 })
  })

  test('no more than the limit get in', async () => {
    const sent = await Promise.all(Array.from({ length: MAX_QUEUED + 30 }, () => send('@bob:limit')))
    expect(sent.filter((answer) => answer.kind === 'Accepted')).toHaveLength(MAX_QUEUED)
    const refused = sent.filter((answer) => answer.kind === 'LimitExceeded')
    expect(refused).toHaveLength(30)
    expect(refused[0]).toMatchObject({ limit: MAX_QUEUED, retryAfterMs: null })
    expect(await sessionRow('@bob:limit')).toMatchObject({ last_seq: MAX_QUEUED, queue_length: MAX_QUEUED })
  })

  test("a session that its user and another one open at once is its user's", async () => {
    for (let round = 0; round < 20; round++) {
      const sessionId = `@bob:two-${round}`
      const sent = await Promise.all([send(sessionId, 'b', { as: 'carol' }), send(sessionId, 'a')])
      expect(sent.map((answer) => answer.kind)).toEqual(['NotFound', 'Accepted'])
    }
  })
})

describe('a message that holds a secret which this process knows', () => {
  const content = `The key is ${SECRET}, in base64 ${Buffer.from(SECRET).toString('base64')}.`

  test('is stored without it, and so is its preview', async () => {
    const sent = await send('@bob:secret', content)
    const [row] = await world.sql(
      'SELECT content FROM messages WHERE id = $1',
      (sent as { messageId: string }).messageId,
    )
    expect(row?.['content']).toMatch(/^The key is \[REDACTED\], in base64 \[REDACTED\].{0,2}\.$/)
    expect((await sessionRow('@bob:secret'))?.['last_message_preview']).not.toContain(SECRET)
  })

  test('sent again under its key is the same message', async () => {
    const first = await send('@bob:secret-again', content, { key: 'k' })
    expect(await send('@bob:secret-again', content, { key: 'k' })).toEqual({ ...first, duplicate: true })
  })

  test('and was redacted only later is still the same when it is sent again; what stands around the mark counts', async () => {
    const said = 'My 100%_token\\n is hush-hush-hush, and [REDACTED] too.'
    const first = await send('@bob:found-later', said, { key: 'k' })
    const redacted = said.replace('hush-hush-hush', REDACTED)
    await world.sql('UPDATE messages SET content = $2 WHERE session_id = $1', '@bob:found-later', redacted)
    expect(await send('@bob:found-later', said, { key: 'k' })).toEqual({ ...first, duplicate: true })
    for (const other of [
      said.replace('token', 'taken'),
      said.replace('100%_', '100xx'),
      said.replace('too.', 'too. More'),
    ])
      expect(await send('@bob:found-later', other, { key: 'k' })).toMatchObject({ kind: 'Conflict' })
  })
})

test('description and metadata are stored without known secrets, in names of fields too', async () => {
  const opening = { id: '@bob:hidden', description: `Uses ${SECRET}`, metadata: { [SECRET]: [{ deep: SECRET }], n: 1 } }
  await openSession(world.context, world.as('bob'), opening)
  await openSession(world.context, world.as('bob'), { ...opening, metadata: { again: SECRET } })
  await updateSession(world.context, world.as('bob'), { id: '@bob:hidden', metadata: { more: `(${SECRET})` } })
  expect(await sessionRow('@bob:hidden')).toMatchObject({
    description: `Uses ${REDACTED}`,
    metadata: { [REDACTED]: [{ deep: REDACTED }], n: 1, again: REDACTED, more: `(${REDACTED})` },
  })
})
