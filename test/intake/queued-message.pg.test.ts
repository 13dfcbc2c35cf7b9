/**
 * Messages that wait are edited and withdrawn, until their turn starts, by those who may; also while a worker starts
 * it.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { editQueuedMessage } from '../../src/intake/message/edit-queued-message.ts'
import { sendMessage } from '../../src/intake/message/send-message.ts'
import { withdrawMessage } from '../../src/intake/message/withdraw-message.ts'
import { appendMessage } from '../../src/intake/message/append-message.ts'
import { createWorld, type World } from './intake-world.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
})

type Name = Parameters<World['as']>[0]

async function send(sessionId: string, content = 'first', as: Name = 'bob'): Promise<string> {
  const sent = await sendMessage(world.context, world.as(as), { sessionId, content })
  if (sent.kind !== 'Accepted') throw new Error(JSON.stringify(sent))
  return sent.messageId
}
const edit = (id: string, content = 'edited', as: Name = 'bob') =>
  editQueuedMessage(world.context, world.as(as), { id, content })
const withdraw = (id: string, as: Name = 'bob') => withdrawMessage(world.context, world.as(as), { id })

const one = async (text: string, value: string) => (await world.sql(text, value))[0]
const session = (id: string) => one('SELECT * FROM sessions WHERE id = $1', id)
const message = (id: string) => one('SELECT content, status FROM messages WHERE id = $1', id)
const turn = (messageId: string) => one('SELECT * FROM turns WHERE message_id = $1', messageId)

describe('edit', () => {
  test('replaces the content and tells of it', async () => {
    const id = await send('@bob:edit')
    expect(await edit(id)).toEqual({ kind: 'Updated', messageId: id })
    expect(await message(id)).toEqual({ content: 'edited', status: 'QUEUED' })
    expect(await session('@bob:edit')).toMatchObject({ last_message_preview: 'edited', queue_length: 1, last_seq: 2 })
    expect(await world.log('@bob:edit')).toEqual(['1 MessageReceived', '2 MessageUpdated'])
    const turnId = (await turn(id))?.['id']
    expect(world.published.at(-1)).toMatchObject({ type: 'MessageUpdated', messageId: id, seq: 2, turnId })
    const started = await world.begin('@bob:edit')
    expect(started?.turn.content).toBe('edited')
  })

  test('of an older message leaves the preview of the newest', async () => {
    const id = await send('@bob:older')
    await send('@bob:older', 'newest')
    await edit(id)
    expect(await session('@bob:older')).toMatchObject({ last_message_preview: 'newest' })
  })

  test('is held to the rules of content', async () => {
    const id = await send('@bob:rules')
    expect(await edit(id, '')).toMatchObject({ kind: 'InvalidInput', issues: [{ path: ['content'] }] })
    expect(await message(id)).toMatchObject({ content: 'first' })
  })
})

describe('withdraw', () => {
  test('ends the turn with the events of every turn', async () => {
    const id = await send('@bob:withdraw')
    expect(await withdraw(id)).toEqual({ kind: 'Updated', messageId: id })
    expect(await message(id)).toMatchObject({ status: 'CANCELLED' })
    expect(await turn(id)).toMatchObject({ status: 'CANCELLED', step: 'COMPLETE', finished_at: expect.any(Date) })
    expect(await session('@bob:withdraw')).toMatchObject({
      queue_length: 0,
      status: 'IDLE',
      ready_at: null,
      last_seq: 4,
    })
    const log = ['1 MessageReceived', '2 MessageUpdated', '3 PipelineStep', '4 TurnCompleted']
    expect(await world.log('@bob:withdraw')).toEqual(log)
    const published = world.published.filter((event) => event.sessionId === '@bob:withdraw')
    expect(published.map((event) => `${event.seq} ${event.type}`)).toEqual(log)
    expect(published.at(-1)).toMatchObject({ status: 'CANCELLED', turnId: (await turn(id))?.['id'] })
    expect(await world.begin('@bob:withdraw')).toBeNull()
  })

  test('from the middle of the queue leaves the others in order', async () => {
    const ids = [await send('@bob:middle', 'a'), await send('@bob:middle', 'b'), await send('@bob:middle', 'c')]
    await withdraw(ids[1] ?? '')
    expect(await session('@bob:middle')).toMatchObject({ queue_length: 2, ready_at: expect.any(Date) })
    const first = await world.begin('@bob:middle')
    await first?.end('DONE')
    const second = await world.begin('@bob:middle')
    expect([first?.turn.content, second?.turn.content]).toEqual(['a', 'c'])
  })

  test('of the last one that waits while another runs leaves the session running', async () => {
    await send('@bob:behind')
    const waiting = await send('@bob:behind', 'second')
    const started = await world.begin('@bob:behind')
    await withdraw(waiting)
    expect(await session('@bob:behind')).toMatchObject({
      status: 'RUNNING',
      queue_length: 0,
      ready_at: expect.any(Date),
    })
    await started?.end('DONE')
    expect(await session('@bob:behind')).toMatchObject({ status: 'IDLE' })
  })

  test('of the last one between two turns makes the session idle', async () => {
    await send('@bob:between')
    const waiting = await send('@bob:between', 'second')
    const started = await world.begin('@bob:between')
    await started?.end('DONE')
    expect(await session('@bob:between')).toMatchObject({ status: 'RUNNING', queue_length: 1 })
    await withdraw(waiting)
    expect(await session('@bob:between')).toMatchObject({ status: 'IDLE', queue_length: 0 })
  })
})

describe.each([
  ['edit', edit],
  ['withdraw', (id: string, _content?: string, as?: Name) => withdraw(id, as)],
])('%s is refused', (_, change) => {
  test('once the turn has started, and after it', async () => {
    const id = await send(`@bob:started-${_}`)
    const started = await world.begin(`@bob:started-${_}`)
    expect(await change(id)).toMatchObject({ kind: 'Conflict', message: expect.stringContaining('is being worked on') })
    await started?.end('FAILED')
    expect(await change(id)).toMatchObject({ kind: 'Conflict', message: expect.stringContaining('without success') })
    expect(await message(id)).toEqual({ content: 'first', status: 'FAILED' })
    expect(await world.log(`@bob:started-${_}`)).toEqual(['1 MessageReceived', '2 MessageUpdated', '3 PipelineStep'])
  })

  test('when it was withdrawn, or never waited', async () => {
    const id = await send(`@bob:never-${_}`)
    await withdraw(id)
    expect(await change(id)).toMatchObject({ kind: 'Conflict', message: expect.stringContaining('withdrawn') })
    const stored = await appendMessage(world.context, world.as('bob'), { sessionId: `@bob:never-${_}`, content: 'x' })
    const refusal = await change(stored.kind === 'Accepted' ? stored.messageId : '')
    expect(refusal).toMatchObject({ kind: 'Conflict', message: expect.stringContaining('without a turn') })
  })

  test('to whom the message is not theirs; to strangers it looks absent', async () => {
    const sessionId = `@bob:theirs-${_}`
    const id = await send(sessionId)
    const absent = await change('msg_01jd0000000000000000000000', 'x', 'carol')
    const unseen = await change(id, 'x', 'carol')
    expect(JSON.stringify(unseen).replaceAll(id, 'msg_01jd0000000000000000000000')).toBe(JSON.stringify(absent))
    expect(unseen).toMatchObject({ kind: 'NotFound', id })
    expect(await change(id, 'x', 'discord')).toMatchObject({ kind: 'NotFound', id })
    await world.sql('INSERT INTO participants VALUES ($1, $2)', sessionId, 'carol')
    expect(await change(id, 'x', 'carol')).toMatchObject({
      kind: 'Conflict',
      message: expect.stringContaining('only its sender'),
    })
    expect(await message(id)).toEqual({ content: 'first', status: 'QUEUED' })
    expect(await change(id, 'x', 'alice')).toMatchObject({ kind: 'Updated' })
  })

  test.each(['', 'cli:x', 'msg_', 'turn_01jd0000000000000000000000', 'msg_\0'])('with "%s" for an id', async (id) => {
    expect(await change(id)).toMatchObject({ kind: 'NotFound', id })
  })
})

test('a connector may change what it brought', async () => {
  const input = { sessionId: 'discord:room', content: 'x', user: 'Bob#1' }
  const sent = await sendMessage(world.context, world.as('discord'), input)
  const id = sent.kind === 'Accepted' ? sent.messageId : ''
  expect(await edit(id, 'y', 'discord')).toMatchObject({ kind: 'Updated' })
  expect(await edit(id, 'z', 'hub')).toMatchObject({ kind: 'Conflict' })
  expect(await edit(id, 'bob himself', 'bob')).toMatchObject({ kind: 'Updated' })
})

describe('against a worker that starts the turn', () => {
  test('an edit is either what the turn gets, or refused', async () => {
    for (let round = 0; round < 60; round++) {
      const sessionId = `@bob:edit-race-${round}`
      const id = await send(sessionId, 'before')
      const [changed, started] = await Promise.all([edit(id, 'after'), world.begin(sessionId)])
      expect(started?.turn.content).toBe(changed.kind === 'Updated' ? 'after' : 'before')
      expect(await message(id)).toEqual({ content: started?.turn.content, status: 'PROCESSING' })
      await expectGapless(sessionId)
    }
  })

  test('a withdrawn turn does not start, a started one is not withdrawn', async () => {
    for (let round = 0; round < 60; round++) {
      const sessionId = `@bob:withdraw-race-${round}`
      const id = await send(sessionId)
      const [changed, started] = await Promise.all([withdraw(id), world.begin(sessionId)])
      expect(started === null).toBe(changed.kind === 'Updated')
      expect(await message(id)).toMatchObject({ status: started === null ? 'CANCELLED' : 'PROCESSING' })
      expect(await session(sessionId)).toMatchObject({ queue_length: 0, status: started === null ? 'IDLE' : 'RUNNING' })
      await expectGapless(sessionId)
    }
  })

  test('with others who send, edit and withdraw, counters and log stay exact', async () => {
    const sessionId = '@bob:melee'
    const first = await Promise.all(Array.from({ length: 20 }, (_, index) => send(sessionId, `m${index}`)))
    const work = async (): Promise<number> => {
      let done = 0
      for (let started = await world.begin(sessionId); started !== null && done < 8; done++) {
        await started.end('DONE')
        started = await world.begin(sessionId)
      }
      return done
    }
    await Promise.all([
      work(),
      ...first.map((id, index) => (index % 2 === 0 ? edit(id, `edited ${index}`) : withdraw(id))),
      ...Array.from({ length: 20 }, (_, index) => send(sessionId, `late ${index}`)),
    ])
    await expectGapless(sessionId)
    const [counted] = await world.sql(
      `SELECT count(*) FILTER (WHERE t.status = 'QUEUED')::int AS queue_length, count(*)::int AS message_count
       FROM turns t WHERE session_id = $1`,
      sessionId,
    )
    expect(await session(sessionId)).toMatchObject({ ...counted, message_count: 40 })
    const mismatched = await world.sql(
      `SELECT m.status, t.status FROM messages m JOIN turns t ON t.message_id = m.id WHERE m.session_id = $1
       AND m.status::text <> CASE t.status WHEN 'RUNNING' THEN 'PROCESSING' ELSE t.status::text END`,
      sessionId,
    )
    expect(mismatched).toEqual([])
  })
})

async function expectGapless(sessionId: string): Promise<void> {
  const log = await world.log(sessionId)
  expect(log.map((line) => Number(line.split(' ')[0]))).toEqual(log.map((_, index) => index + 1))
  expect(await session(sessionId)).toMatchObject({ last_seq: log.length })
}
