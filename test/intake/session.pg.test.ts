/** Sessions are opened, taken up again, changed, shared, cancelled and deleted. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addParticipant } from '../../src/intake/session/add-participant.ts'
import { cancelTurn } from '../../src/intake/message/cancel-turn.ts'
import { deleteSession } from '../../src/intake/session/delete-session.ts'
import { openSession, type OpenSessionInput } from '../../src/intake/session/open-session.ts'
import { removeParticipant } from '../../src/intake/session/remove-participant.ts'
import { sendMessage } from '../../src/intake/message/send-message.ts'
import { updateSession, type UpdateSessionInput } from '../../src/intake/session/update-session.ts'
import { createWorld, type World } from './intake-world.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
})

type Name = Parameters<World['as']>[0]
const open = (input: OpenSessionInput, as: Name = 'bob') => openSession(world.context, world.as(as), input)
const update = (input: UpdateSessionInput, as: Name = 'bob') => updateSession(world.context, world.as(as), input)
const send = (sessionId: string, as: Name = 'bob') =>
  sendMessage(world.context, world.as(as), { sessionId, content: 'hello' })
const row = async (id: string) => (await world.sql('SELECT * FROM sessions WHERE id = $1', id))[0]
const people = async (id: string) => {
  const rows = await world.sql<{ user_name: string }>(
    'SELECT user_name FROM participants WHERE session_id = $1 ORDER BY user_name',
    id,
  )
  return rows.map((participant) => participant.user_name)
}

describe('openSession', () => {
  test('creates a session with everything given, and says so in its log', async () => {
    const opened = await open({
      id: '@bob:all',
      source: { kind: 'telegram', interactive: false, platform: 'Telegram', triggerId: 't-1' },
      metadata: { chatId: 42, nested: { a: [1, null] }, dropped: null },
      description: 'About cats',
      participants: ['carol', 'bob'],
    })
    expect(opened).toEqual({ kind: 'Opened', sessionId: '@bob:all', created: true })
    expect(await row('@bob:all')).toMatchObject({
      source_kind: 'telegram',
      source_interactive: false,
      source_platform: 'Telegram',
      source_trigger_id: 't-1',
      connector: 'bob',
      metadata: { chatId: 42, nested: { a: [1, null] } },
      description: 'About cats',
      description_source: 'CLIENT',
      status: 'IDLE',
      ready_at: null,
    })
    expect(await people('@bob:all')).toEqual(['bob', 'carol'])
    expect(await world.log('@bob:all')).toEqual(['1 SessionUpdated'])
    expect(world.published.at(-1)).toMatchObject({
      type: 'SessionUpdated',
      sessionId: '@bob:all',
      seq: 1,
      turnId: null,
    })
  })

  test.each([
    ['bob', undefined, /^@bob:api:[0-9a-f]{32}$/],
    ['bob', { kind: 'web' }, /^@bob:web:[0-9a-f]{32}$/],
    ['alice', { kind: 'web' }, /^@alice:web:[0-9a-f]{32}$/],
    ['discord', { kind: 'web' }, /^discord:[0-9a-f]{32}$/],
    ['discord', undefined, /^discord:\d{4}-\d\d-\d\d-[0-9a-f]{32}$/],
    ['hub', { kind: 'telegram' }, /^hub:\d{4}-\d\d-\d\d-[0-9a-f]{32}$/],
    ['bob', { kind: 'slack', type: 'GROUP' }, /^@bob:slack:\d{4}-\d\d-\d\d-[0-9a-f]{32}$/],
  ] as const)('generates an id that %s may use', async (as, source, expected) => {
    expect(await open({ source }, as)).toMatchObject({ kind: 'Opened', sessionId: expect.stringMatching(expected) })
  })

  test('again keeps the source, merges metadata, replaces the description and wakes it', async () => {
    await open({ id: '@bob:again', metadata: { a: 1, b: { c: 1 }, gone: 1 }, description: 'old' })
    await update({ id: '@bob:again', inactive: true })
    const again = { id: '@bob:again', source: { kind: 'other' }, metadata: { b: 2, gone: null }, description: 'new' }
    expect(await open(again)).toEqual({ kind: 'Opened', sessionId: '@bob:again', created: false })
    expect(await row('@bob:again')).toMatchObject({
      source_kind: 'api',
      metadata: { a: 1, b: 2 },
      description: 'new',
      status: 'IDLE',
      last_seq: 3,
    })
    expect((await row('@bob:again'))?.['metadata']).not.toHaveProperty('gone')
    expect(await world.log('@bob:again')).toEqual(['1 SessionUpdated', '2 SessionUpdated', '3 SessionUpdated'])
  })

  test('again with nothing new makes no event', async () => {
    const input = { id: '@bob:same', metadata: { a: 1 }, description: 'same', participants: ['carol'] }
    await open(input)
    expect(await open(input)).toMatchObject({ created: false })
    expect(await open({ id: '@bob:same' })).toMatchObject({ created: false })
    expect(await world.log('@bob:same')).toEqual(['1 SessionUpdated'])
  })

  test('20 times at once creates one session', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => open({ id: '@bob:race', metadata: { a: 1 } })))
    expect(answers.filter((answer) => answer.kind === 'Opened' && answer.created)).toHaveLength(1)
    expect(answers.filter((answer) => answer.kind === 'Opened')).toHaveLength(20)
    expect(await world.log('@bob:race')).toEqual(['1 SessionUpdated'])
  })

  test('again takes in those who are named, and not the admin who only reads', async () => {
    await open({ id: '@bob:joined' })
    await open({ id: '@bob:joined', participants: ['carol'] }, 'alice')
    expect(await people('@bob:joined')).toEqual(['bob', 'carol'])
    await open({ id: 'cli:of-alice' }, 'alice')
    expect(await people('cli:of-alice')).toEqual(['alice'])
  })

  test('of a schedule is left to schedules, and taken up again like any other', async () => {
    expect(await open({ source: { kind: 'schedule' } })).toMatchObject({
      kind: 'InvalidInput',
      issues: [{ path: ['source', 'kind'], message: expect.stringContaining('only schedules') }],
    })
    expect(await open({ id: 'schedule:mine' })).toMatchObject({ kind: 'NotFound', id: 'schedule:mine' })
    expect(await send('schedule:mine')).toMatchObject({ kind: 'NotFound', id: 'schedule:mine' })
    expect(await row('schedule:mine')).toBeUndefined()
    await world.sql(
      `INSERT INTO sessions (id, source_kind, source_interactive) VALUES ('schedule:mine', 'schedule', false)`,
    )
    await world.sql(`INSERT INTO participants (session_id, user_name) VALUES ('schedule:mine', 'bob')`)
    expect(await open({ id: 'schedule:mine', source: { kind: 'schedule' } })).toMatchObject({ created: false })
    expect(await send('schedule:mine')).toMatchObject({ kind: 'Accepted' })
    expect(await send('schedule:mine', 'carol')).toMatchObject({ kind: 'NotFound' })
  })

  test('keeps the type of its first opening', async () => {
    await open({ id: '@bob:typed', source: { kind: 'cli', type: 'GROUP' } })
    await open({ id: '@bob:typed', source: { kind: 'cli', type: 'DIRECT' } })
    expect(await row('@bob:typed')).toMatchObject({ source_type: 'GROUP' })
    await open({ id: '@bob:untyped' })
    await open({ id: '@bob:untyped', source: { kind: 'cli', type: 'GROUP' } })
    expect(await row('@bob:untyped')).toMatchObject({ source_type: 'DIRECT' })
  })

  test('of a session of others looks as if there were none that may be seen', async () => {
    await open({ id: '@bob:others' })
    expect(await open({ id: '@bob:others', metadata: { a: 1 } }, 'carol')).toMatchObject({
      kind: 'NotFound',
      id: '@bob:others',
    })
    expect(await row('@bob:others')).toMatchObject({ metadata: {}, last_seq: 1 })
  })

  test('names every fault: unknown participants, description, metadata, source', async () => {
    const refusal = await open({
      id: 'cli:faults',
      source: { kind: 'a:b', platform: '' },
      metadata: ['a'],
      description: '',
      participants: ['carol', 'nobody', '__proto__'],
    })
    expect(refusal.kind === 'InvalidInput' && refusal.issues.map((issue) => issue.path.join('.'))).toEqual([
      'source.kind',
      'source.platform',
      'metadata',
      'description',
      'participants.1',
      'participants.2',
    ])
  })

  test('outside the namespace of a connector', async () => {
    expect(await open({ id: 'cli:out' }, 'discord')).toMatchObject({ kind: 'InvalidInput', issues: [{ path: ['id'] }] })
    expect(await open({ id: 'discordx:out' }, 'discord')).toMatchObject({ kind: 'InvalidInput' })
    expect(await open({ id: 'discord:in' }, 'discord')).toMatchObject({ kind: 'Opened' })
    expect(await people('discord:in')).toEqual([])
  })
})

describe('updateSession', () => {
  test('sets and clears the description', async () => {
    await open({ id: '@bob:label' })
    await update({ id: '@bob:label', description: 'label' })
    expect(await row('@bob:label')).toMatchObject({ description: 'label', description_source: 'CLIENT' })
    await update({ id: '@bob:label', metadata: { a: 1 } })
    expect(await row('@bob:label')).toMatchObject({ description: 'label' })
    await update({ id: '@bob:label', description: null })
    expect(await row('@bob:label')).toMatchObject({ description: null, description_source: null, metadata: { a: 1 } })
    expect(await world.log('@bob:label')).toHaveLength(4)
  })

  test('metadata does not grow without bound, and shrinks again', async () => {
    await open({ id: '@bob:grow' })
    const half = 'x'.repeat(9000)
    expect(await update({ id: '@bob:grow', metadata: { a: half } })).toMatchObject({ kind: 'Updated' })
    const refusal = await update({ id: '@bob:grow', metadata: { b: half }, description: 'not either' })
    expect(refusal).toMatchObject({ kind: 'InvalidInput', issues: [{ path: ['metadata'] }] })
    expect(await row('@bob:grow')).toMatchObject({ metadata: { a: half }, description: null, last_seq: 2 })
    expect(await update({ id: '@bob:grow', metadata: { a: null, b: half } })).toMatchObject({ kind: 'Updated' })
    expect(await row('@bob:grow')).toMatchObject({ metadata: { b: half } })
  })

  test('a key called __proto__ is a key like any other', async () => {
    await open({ id: '@bob:proto', metadata: JSON.parse('{"__proto__": {"a": 1}}') })
    const [stored] = await world.sql('SELECT metadata::text AS text FROM sessions WHERE id = $1', '@bob:proto')
    expect(stored).toEqual({ text: '{"__proto__": {"a": 1}}' })
  })

  test('inactive is refused while a turn waits or runs, and undone by false', async () => {
    await send('@bob:busy')
    expect(await update({ id: '@bob:busy', inactive: true, description: 'no' })).toMatchObject({ kind: 'Conflict' })
    const started = await world.begin('@bob:busy')
    expect(await update({ id: '@bob:busy', inactive: true })).toMatchObject({ kind: 'Conflict' })
    expect(await update({ id: '@bob:busy', inactive: false })).toMatchObject({ kind: 'Updated' })
    expect(await row('@bob:busy')).toMatchObject({ status: 'RUNNING', description: null, last_seq: 3 })
    await started?.end('DONE')
    expect(await update({ id: '@bob:busy', inactive: true })).toMatchObject({ kind: 'Updated' })
    expect(await row('@bob:busy')).toMatchObject({ status: 'INACTIVE' })
    expect(await update({ id: '@bob:busy', inactive: false })).toMatchObject({ kind: 'Updated' })
    expect(await row('@bob:busy')).toMatchObject({ status: 'IDLE', last_seq: 5 })
  })

  test('at once with messages: nothing is lost, no seq is skipped', async () => {
    await open({ id: '@bob:storm' })
    await Promise.all(
      Array.from({ length: 90 }, (_, index) => {
        if (index % 3 === 0) return send('@bob:storm')
        if (index % 3 === 1) return update({ id: '@bob:storm', metadata: { [`k${index}`]: index } })
        return addParticipant(world.context, world.as('bob'), { sessionId: '@bob:storm', user: 'carol' })
      }),
    )
    const session = await row('@bob:storm')
    expect(Object.keys(session?.['metadata'] as object)).toHaveLength(30)
    // Opened, 30 messages, 30 changes of metadata, carol once.
    expect(session).toMatchObject({ last_seq: 62, queue_length: 30, message_count: 30 })
    const log = await world.log('@bob:storm')
    expect(log.map((line) => Number.parseInt(line, 10))).toEqual(Array.from({ length: 62 }, (_, index) => index + 1))
  })
})

describe('participants', () => {
  const add = (sessionId: string, user: string, as: Name = 'bob') =>
    addParticipant(world.context, world.as(as), { sessionId, user })
  const remove = (sessionId: string, user: string, as: Name = 'bob') =>
    removeParticipant(world.context, world.as(as), { sessionId, user })

  test('are added by those who are in, once, with an event', async () => {
    await open({ id: '@bob:add' })
    expect(await send('@bob:add', 'carol')).toMatchObject({ kind: 'NotFound' })
    expect(await add('@bob:add', 'carol')).toEqual({ kind: 'Updated', sessionId: '@bob:add' })
    expect(await add('@bob:add', 'carol')).toEqual({ kind: 'Updated', sessionId: '@bob:add' })
    expect(await world.log('@bob:add')).toEqual(['1 SessionUpdated', '2 SessionUpdated'])
    expect(await send('@bob:add', 'carol')).toMatchObject({ kind: 'Accepted' })
  })

  test('are removed by themselves and by admins, and then see nothing', async () => {
    await open({ id: '@bob:remove', participants: ['carol'] })
    expect(await remove('@bob:remove', 'carol', 'bob')).toMatchObject({
      kind: 'InvalidInput',
      issues: [{ path: ['user'] }],
    })
    expect(await remove('@bob:remove', 'carol', 'carol')).toMatchObject({ kind: 'Updated' })
    expect(await remove('@bob:remove', 'carol', 'carol')).toMatchObject({ kind: 'NotFound' })
    expect(await remove('@bob:remove', 'bob', 'alice')).toMatchObject({ kind: 'Updated' })
    expect(await remove('@bob:remove', 'bob', 'alice')).toMatchObject({ kind: 'Updated' })
    expect(await people('@bob:remove')).toEqual([])
    expect(await world.log('@bob:remove')).toHaveLength(3)
  })

  test('must be users to come in, and need not be users any more to be taken out', async () => {
    await open({ id: '@bob:unknown' })
    expect(await add('@bob:unknown', 'nobody')).toMatchObject({ kind: 'InvalidInput', issues: [{ path: ['user'] }] })
    await world.sql(`INSERT INTO participants VALUES ('@bob:unknown', 'nobody')`)
    expect(await remove('@bob:unknown', 'nobody', 'alice')).toMatchObject({ kind: 'Updated' })
    expect(await people('@bob:unknown')).toEqual(['bob'])
    expect(await remove('@bob:unknown', '\0', 'alice')).toMatchObject({ kind: 'InvalidInput' })
  })

  test('strangers cannot add themselves', async () => {
    await open({ id: '@bob:closed' })
    expect(await add('@bob:closed', 'carol', 'carol')).toMatchObject({ kind: 'NotFound', id: '@bob:closed' })
    expect(await people('@bob:closed')).toEqual(['bob'])
  })
})

describe('deleteSession', () => {
  const remove = (id: string, as: Name = 'bob') => deleteSession(world.context, world.as(as), { id })

  test('removes rows and files, tells of it, and keeps what was spent', async () => {
    await send('@bob:delete')
    const started = await world.begin('@bob:delete')
    await world.sql(
      `INSERT INTO audit_entries (id, at, kind, session_id, turn_id, data) VALUES ('aud_1', now(), 'MODEL_CALL', '@bob:delete', $1, '{}')`,
      started?.turn.id,
    )
    await started?.end('DONE')
    expect(await remove('@bob:delete')).toEqual({ kind: 'Deleted', sessionId: '@bob:delete' })
    for (const table of ['messages', 'turns', 'events', 'participants']) {
      expect(await world.sql(`SELECT 1 FROM ${table} WHERE session_id = $1`, '@bob:delete')).toEqual([])
    }
    expect(await row('@bob:delete')).toBeUndefined()
    const audit = `SELECT kind::text || coalesce(' ' || (data->>'change'), '') AS entry, actor FROM audit_entries
      WHERE session_id = '@bob:delete' ORDER BY pos`
    expect(await world.sql(audit)).toMatchObject([
      { entry: 'SESSION OPENED' },
      { entry: 'MODEL_CALL' },
      { entry: 'SESSION DELETED' },
    ])
    expect(world.rung).toContainEqual({ kind: 'gone', sessionId: '@bob:delete' })
    const remains = { workspace: 'aside of @bob:delete', fileIds: [], approvalIds: [] }
    expect(world.removed).toEqual([{ sessionId: '@bob:delete', ...remains }])
    expect(await remove('@bob:delete')).toMatchObject({ kind: 'NotFound' })
  })

  test('is refused while a turn waits or runs, and nothing is touched', async () => {
    await send('@bob:working')
    expect(await remove('@bob:working')).toMatchObject({
      kind: 'Conflict',
      message: expect.stringContaining('messages wait: 1'),
    })
    const started = await world.begin('@bob:working')
    expect(await remove('@bob:working')).toMatchObject({
      kind: 'Conflict',
      message: expect.stringContaining('a turn runs'),
    })
    expect(world.removed).not.toContain('@bob:working')
    await started?.end('DONE')
    expect(await remove('@bob:working')).toMatchObject({ kind: 'Deleted' })
  })

  test('at once with a message: either it waits in a session, or there is none', async () => {
    for (let round = 0; round < 30; round++) {
      const id = `@bob:delete-race-${round}`
      await open({ id })
      const [sent, deleted] = await Promise.all([send(id), remove(id)])
      const waiting = await world.sql('SELECT 1 FROM turns WHERE session_id = $1', id)
      expect(sent.kind).toBe('Accepted')
      // Deleted first, the message opened the session anew; deleted later, it was refused.
      expect(['Deleted', 'Conflict']).toContain(deleted.kind)
      expect(waiting).toHaveLength(1)
    }
  })
})

describe('cancelTurn', () => {
  const cancel = (sessionId: string, as: Name = 'bob') => cancelTurn(world.context, world.as(as), { sessionId })

  test('writes the wish down for the node that runs the turn, and notifies it', async () => {
    await send('@bob:cancel')
    const started = await world.begin('@bob:cancel')
    expect(await cancel('@bob:cancel')).toEqual({ kind: 'Cancelling', turnId: started?.turn.id })
    expect(world.rung).toContainEqual({ kind: 'cancel', sessionId: '@bob:cancel', turnId: started?.turn.id })
    expect(await cancel('@bob:cancel')).toMatchObject({ kind: 'Cancelling' })
    const taken = await world.begin('@bob:cancel')
    expect(taken?.turn).toMatchObject({ id: started?.turn.id, resumed: true, cancelRequested: true })
    await taken?.end('CANCELLED')
    expect(await cancel('@bob:cancel')).toMatchObject({ kind: 'Conflict' })
  })

  test('of a session in which nothing runs says so', async () => {
    await send('@bob:waiting')
    expect(await cancel('@bob:waiting')).toMatchObject({
      kind: 'Conflict',
      message: expect.stringContaining('withdrawn'),
    })
  })
})

test('to strangers every use case answers as if the session were absent', async () => {
  await open({ id: '@bob:secret' })
  const carol = world.as('carol')
  const cases = [
    (id: string) => updateSession(world.context, carol, { id, description: 'x' }),
    (id: string) => deleteSession(world.context, carol, { id }),
    (id: string) => cancelTurn(world.context, carol, { sessionId: id }),
    (id: string) => addParticipant(world.context, carol, { sessionId: id, user: 'carol' }),
    (id: string) => removeParticipant(world.context, carol, { sessionId: id, user: 'carol' }),
  ]
  for (const ask of cases) {
    const [secret, absent] = [await ask('@bob:secret'), await ask('cli:absent')]
    expect(secret).toMatchObject({ kind: 'NotFound', id: '@bob:secret' })
    expect(JSON.stringify(secret).replaceAll('@bob:secret', 'cli:absent')).toBe(JSON.stringify(absent))
  }
  expect(await row('@bob:secret')).toMatchObject({ last_seq: 1 })
})
