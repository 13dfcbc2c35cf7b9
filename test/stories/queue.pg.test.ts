/** One turn of a session at a time, in order of arrival; what waits can be changed and taken back. */
import { writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Watch } from '../harness/api-client.ts'
import { eventsOf, send, Story, storyConfig, turnEnd, watchAll, type SessionEventData } from '../harness/story.ts'
import {
  AddParticipantDocument,
  AppendMessageDocument,
  CancelTurnDocument,
  DeleteSessionDocument,
  EditQueuedMessageDocument,
  MessageDocument,
  SendMessageDocument,
  ServerDocument,
  SessionDocument,
  SessionMessagesDocument,
  SessionTasksDocument,
  SessionTurnsDocument,
  UpdateSessionDocument,
  WithdrawMessageDocument,
  type AppendMessageInput,
  type SendMessageInput,
  type WatchSessionSubscription,
} from '../generated/graphql.ts'

const MAX_QUEUED = 3

let story: Story
beforeAll(async () => {
  story = await Story.begin({ config: { settings: { max_queued: MAX_QUEUED } } })
})
afterAll(() => story[Symbol.asyncDispose]())

/** A session whose turn runs until `open`. */
interface BusySession extends AsyncDisposable {
  readonly watch: Watch<WatchSessionSubscription>
  readonly running: { readonly id: string }
  /** Lets the running turn end. */
  open(): Promise<void>
}

async function keepBusy(sessionId: string): Promise<BusySession> {
  const ada = story.as('ada')
  const gate = story.path(`gate-${sessionId.replace(':', '-')}`)
  const { message } = await send(ada, sessionId, `run: until [ -e ${gate} ]; do sleep 0.02; done; echo one`)
  const watch = watchAll(ada, sessionId)
  await watch.until(({ sessionEvents }) => isRunning(sessionEvents))
  const open = (): Promise<void> => writeFile(gate, '')
  const leave = async (): Promise<void> => {
    await open()
    await watch.close()
  }
  return { watch, running: message, open, [Symbol.asyncDispose]: leave }
}

function isRunning(event: SessionEventData): boolean {
  return event.__typename === 'TaskUpdateEvent' && event.taskStatus === 'RUNNING'
}

async function statusOf(id: string): Promise<unknown> {
  return (await story.as('ada').run(MessageDocument, { id })).message
}

async function requestSend(input: SendMessageInput) {
  return (await story.as('ada').run(SendMessageDocument, { input })).sendMessage
}

test('messages that arrive while a turn runs wait in line, know their places, and run in order of arrival', async () => {
  await using busy = await keepBusy('cli:line')
  const ada = story.as('ada')
  const second = await send(ada, 'cli:line', 'run: echo two')
  const third = await send(ada, 'cli:line', 'run: echo three')
  expect(second.message).toMatchObject({ status: 'QUEUED', queuePosition: 0 })
  expect(third.message).toMatchObject({ status: 'QUEUED', queuePosition: 1 })
  expect(await statusOf(busy.running.id)).toMatchObject({ status: 'PROCESSING', queuePosition: null })
  expect((await ada.run(SessionDocument, { id: 'cli:line' })).session).toMatchObject({
    status: 'RUNNING',
    queueLength: 2,
    activeTurn: { status: 'RUNNING', step: 'EXECUTING' },
  })
  expect((await ada.run(ServerDocument)).server).toMatchObject({ queuedTurns: 2, runningTurns: 1 })

  await busy.open()
  await turnEnd(busy.watch, 3)
  const { session } = await ada.run(SessionTurnsDocument, { id: 'cli:line' })
  const turns = session?.turns.edges.map(({ node }) => node) ?? []
  expect(turns.map(({ message, status }) => [message.id, status])).toEqual([
    [busy.running.id, 'DONE'],
    [second.message.id, 'DONE'],
    [third.message.id, 'DONE'],
  ])
  // One after another: none begins before the one before it has ended.
  const times = turns.flatMap(({ startedAt, finishedAt }) => [String(startedAt), String(finishedAt)])
  expect(times).toEqual([...times].sort())
  const { session: worked } = await ada.run(SessionTasksDocument, { id: 'cli:line', filter: { type: ['EXEC'] } })
  expect(worked?.tasks.edges.map(({ node }) => node.output)).toEqual(['three\n', 'two\n', 'one\n'])
  expect((await ada.run(SessionDocument, { id: 'cli:line' })).session).toMatchObject({ status: 'IDLE', queueLength: 0 })
})

describe('a message that waits', () => {
  test('can be edited: its turn gets the new text, and everybody sees it', async () => {
    await using busy = await keepBusy('cli:edit')
    const { message } = await send(story.as('ada'), 'cli:edit', 'run: echo typo')
    const { editQueuedMessage } = await story
      .as('ada')
      .run(EditQueuedMessageDocument, { id: message.id, content: 'run: echo mended' })
    expect(editQueuedMessage).toMatchObject({ message: { content: 'run: echo mended', queuePosition: 0 } })
    await busy.watch.until(
      ({ sessionEvents: event }) =>
        event.__typename === 'MessageUpdatedEvent' && event.message.content === 'run: echo mended',
    )
    await busy.open()
    await turnEnd(busy.watch, 2)
    const outputs = eventsOf(busy.watch, 'TaskOutputEvent').map(({ text }) => text)
    expect(outputs).toEqual(['one\n', 'mended\n'])
  })

  test('can be withdrawn: its turn ends without having begun, and those behind it move up', async () => {
    await using busy = await keepBusy('cli:withdraw')
    const ada = story.as('ada')
    const second = await send(ada, 'cli:withdraw', 'run: echo two')
    const third = await send(ada, 'cli:withdraw', 'run: echo three')
    const { withdrawMessage } = await ada.run(WithdrawMessageDocument, { id: second.message.id })
    expect(withdrawMessage).toMatchObject({ message: { status: 'CANCELLED', queuePosition: null } })
    expect(await statusOf(third.message.id)).toMatchObject({ status: 'QUEUED', queuePosition: 0 })

    const ended = await turnEnd(busy.watch)
    expect(ended).toMatchObject({ turnStatus: 'CANCELLED', failure: null, usage: { calls: 0 } })
    // The first may have waited for a moment, too.
    const all = eventsOf(busy.watch, 'MessageUpdatedEvent')
    const updated = all.filter(({ message }) => message.id !== busy.running.id)
    expect(updated).toMatchObject([{ message: { id: second.message.id, status: 'CANCELLED' } }])
    await busy.open()
    await turnEnd(busy.watch, 3)
    expect(eventsOf(busy.watch, 'TaskOutputEvent').map(({ text }) => text)).toEqual(['one\n', 'three\n'])
    expect(eventsOf(busy.watch, 'TurnCompletedEvent').map(({ turnStatus }) => turnStatus)).toEqual([
      'CANCELLED',
      'DONE',
      'DONE',
    ])
  })

  test('can be changed by its sender and by admins, by nobody else', async () => {
    await using busy = await keepBusy('web:theirs')
    const ada = story.as('ada')
    for (const user of ['ben', 'cleo']) await ada.run(AddParticipantDocument, { sessionId: 'web:theirs', user })
    const { message } = await send(story.as('ben'), 'web:theirs', 'run: echo ben')
    const asCleo = await story.as('cleo').run(EditQueuedMessageDocument, { id: message.id, content: 'run: echo cleo' })
    expect(asCleo.editQueuedMessage).toMatchObject({
      __typename: 'ConflictRefusal',
      reason: 'NOT_ALLOWED',
      problem: expect.stringMatching(/is another user's: only its sender or an admin may change it\.$/),
    })
    const withdrawn = await ada.run(WithdrawMessageDocument, { id: message.id })
    expect(withdrawn.withdrawMessage).toMatchObject({ message: { content: 'run: echo ben', status: 'CANCELLED' } })
    await busy.open()
  })
})

test('a message whose turn has begun can neither be edited nor withdrawn, during the turn and after it', async () => {
  await using busy = await keepBusy('cli:begun')
  const ada = story.as('ada')
  const { id } = busy.running
  const change = async () => [
    (await ada.run(EditQueuedMessageDocument, { id, content: 'run: echo other' })).editQueuedMessage,
    (await ada.run(WithdrawMessageDocument, { id })).withdrawMessage,
  ]
  const conflict = (why: RegExp) => ({
    __typename: 'ConflictRefusal',
    code: 'CONFLICT',
    problem: expect.stringMatching(why),
  })
  const running = /is being worked on already\. Cancel its turn, or send what is new as a message of its own\.$/
  expect(await change()).toMatchObject([conflict(running), conflict(running)])
  await busy.open()
  await turnEnd(busy.watch)
  const done = /has been worked on\. Send what is new as a message of its own\.$/
  expect(await change()).toMatchObject([conflict(done), conflict(done)])
  expect(eventsOf(busy.watch, 'TaskOutputEvent').map(({ text }) => text)).toEqual(['one\n'])
})

test('a session takes as many waiting messages as it may, and says so when its queue is full', async () => {
  await using busy = await keepBusy('cli:full')
  const ada = story.as('ada')
  const waiting = []
  for (let n = 0; n < MAX_QUEUED; n += 1) waiting.push(await send(ada, 'cli:full', `run: echo ${n}`))
  expect(await requestSend({ sessionId: 'cli:full', content: 'run: echo too many' })).toMatchObject({
    __typename: 'LimitExceededRefusal',
    code: 'LIMIT_EXCEEDED',
    limit: MAX_QUEUED,
    problem: `${MAX_QUEUED} messages wait in session "cli:full" already, which is the limit. Send again when some of them are done, or withdraw one.`,
  })
  const { session } = await ada.run(SessionDocument, { id: 'cli:full' })
  expect(session).toMatchObject({ messageCount: 1 + MAX_QUEUED, queueLength: MAX_QUEUED })
  // Another session takes more, and a place that becomes free can be taken.
  await send(ada, 'cli:roomy', 'Hello')
  await ada.run(WithdrawMessageDocument, { id: waiting[0]?.message.id ?? '' })
  const { message } = await send(ada, 'cli:full', 'run: echo last')
  expect(message).toMatchObject({ queuePosition: MAX_QUEUED - 1 })
  await busy.open()
  await turnEnd(busy.watch, 2 + MAX_QUEUED)
  expect(eventsOf(busy.watch, 'TaskOutputEvent').map(({ text }) => text)).toEqual(['one\n', '1\n', '2\n', 'last\n'])
})

test('a process runs as many turns at a time as it may; the other sessions wait, and can be changed meanwhile', async () => {
  await using _narrow = await story.reconfigureForNow(storyConfig({ settings: { max_concurrent_turns: 1 } }))
  const ada = story.as('ada')
  const gate = story.path('gate')
  await send(ada, 'cli:first', `run: until [ -e ${gate} ]; do sleep 0.02; done`)
  await using first = watchAll(ada, 'cli:first')
  await first.until(({ sessionEvents }) => isRunning(sessionEvents))
  const { message } = await send(ada, 'cli:second', 'run: echo original')
  await using second = watchAll(ada, 'cli:second')
  expect(message).toMatchObject({ status: 'QUEUED', queuePosition: 0 })
  const { cancelTurn } = await ada.run(CancelTurnDocument, { sessionId: 'cli:second' })
  expect(cancelTurn).toMatchObject({ __typename: 'ConflictRefusal', problem: expect.stringContaining('withdrawn') })
  await ada.run(EditQueuedMessageDocument, { id: message.id, content: 'run: echo edited' })
  await writeFile(gate, '')

  const ended = await Promise.all([turnEnd(first), turnEnd(second)])
  expect(ended.map(({ turnStatus }) => turnStatus)).toEqual(['DONE', 'DONE'])
  expect(eventsOf(second, 'TaskOutputEvent').map(({ text }) => text)).toEqual(['edited\n'])
  const begunAt = Date.parse(eventsOf(second, 'PipelineStepEvent')[0]?.at ?? '')
  expect(begunAt).toBeGreaterThanOrEqual(Date.parse(ended[0].at))
})

describe('an idempotency key', () => {
  test('makes sending again harmless: the first message is the answer, and one turn runs', async () => {
    const input = { sessionId: 'cli:once', content: 'run: echo once', idempotencyKey: 'key-1' }
    const answers = await Promise.all(Array.from({ length: 5 }, () => requestSend(input)))
    const accepted = answers.flatMap((answer) => (answer.__typename === 'SendMessagePayload' ? [answer] : []))
    expect(accepted).toHaveLength(5)
    expect(new Set(accepted.map(({ message }) => message.id)).size).toBe(1)
    expect(accepted.filter(({ duplicate }) => !duplicate)).toHaveLength(1)
    await using watch = watchAll(story.as('ada'), 'cli:once')
    await turnEnd(watch)
    const again = await requestSend(input)
    expect(again).toMatchObject({ duplicate: true, message: { id: accepted[0]?.message.id, status: 'DONE' } })
    const { session } = await story.as('ada').run(SessionDocument, { id: 'cli:once' })
    expect(session).toMatchObject({ messageCount: 1, turnCount: 1, queueLength: 0 })
  })

  test('with other content is a conflict, and nothing is stored', async () => {
    const input = { sessionId: 'cli:twice', idempotencyKey: 'key-1' }
    expect(await requestSend({ ...input, content: 'One' })).toMatchObject({ duplicate: false })
    const other = await requestSend({ ...input, content: 'Another' })
    expect(other).toMatchObject({ __typename: 'ConflictRefusal', problem: expect.stringContaining('"key-1"') })
    expect((await story.as('ada').run(SessionDocument, { id: 'cli:twice' })).session?.messageCount).toBe(1)
  })
})

describe('a message that is only put on record', () => {
  const append = async (input: Omit<AppendMessageInput, 'sessionId'>) =>
    (await story.as('ada').run(AppendMessageDocument, { input: { sessionId: 'cli:record', ...input } })).appendMessage

  test('starts no turn, carries its own time, and is stored once however often it is sent', async () => {
    await send(story.as('ada'), 'cli:record', 'Hello')
    await using watch = watchAll(story.as('ada'), 'cli:record')
    await turnEnd(watch)
    const said = { content: 'run: echo old', messageId: 'history-1', createdAt: '2020-02-29T12:00:00+02:00' }
    const first = await append(said)
    expect(first).toMatchObject({
      duplicate: false,
      message: { status: 'STORED', role: 'USER', user: 'ada', createdAt: '2020-02-29T10:00:00.000Z' },
    })
    const id = first.__typename === 'AppendMessagePayload' ? first.message.id : ''
    expect(await append(said)).toMatchObject({ duplicate: true, message: { id } })
    expect(await append({ ...said, content: 'run: echo changed' })).toMatchObject({ __typename: 'ConflictRefusal' })
    expect(await append({ content: 'Welcome back', role: 'ASSISTANT', messageId: 'history-2' })).toMatchObject({
      message: { status: 'STORED', role: 'ASSISTANT' },
    })

    await watch.until(
      ({ sessionEvents: event }) =>
        event.__typename === 'MessageReceivedEvent' && event.message.content === 'Welcome back',
    )
    const received = eventsOf(watch, 'MessageReceivedEvent').map(({ turnId, message }) => [
      message.content,
      turnId === null,
    ])
    expect(received).toEqual([
      ['Hello', false],
      ['run: echo old', true],
      ['Welcome back', true],
    ])
    const { session } = await story.as('ada').run(SessionDocument, { id: 'cli:record' })
    expect(session).toMatchObject({ status: 'IDLE', messageCount: 3, turnCount: 1, lastMessagePreview: 'Welcome back' })
    const { session: page } = await story.as('ada').run(SessionMessagesDocument, { id: 'cli:record', first: 10 })
    expect(page?.messages.edges.map(({ node }) => node.content)).toEqual(['Hello', 'run: echo old', 'Welcome back'])
  })

  test('opens its session where its sender may open one, and nowhere else', async () => {
    const [ada, ben] = [story.as('ada'), story.as('ben')]
    const input = { sessionId: 'cli:nowhere', content: 'Hello' }
    const { appendMessage: refused } = await ben.run(AppendMessageDocument, { input })
    expect(refused).toMatchObject({ __typename: 'NotFoundRefusal', missingId: 'cli:nowhere' })
    expect(await ada.run(SessionDocument, { id: 'cli:nowhere' })).toEqual({ session: null })
    const { appendMessage } = await ada.run(AppendMessageDocument, { input })
    expect(appendMessage).toMatchObject({ duplicate: false, message: { status: 'STORED', user: 'ada' } })
    const { session } = await ada.run(SessionDocument, { id: 'cli:nowhere' })
    expect(session).toMatchObject({ status: 'IDLE', messageCount: 1, turnCount: 0, queueLength: 0 })
  })
})

test('a session with work can neither be deleted nor hidden; one without can, and its id is free again', async () => {
  const ada = story.as('ada')
  const busy = await keepBusy('cli:work')
  const hide = async () =>
    (await ada.run(UpdateSessionDocument, { input: { id: 'cli:work', inactive: true } })).updateSession
  const remove = async () => (await ada.run(DeleteSessionDocument, { id: 'cli:work' })).deleteSession
  expect(await remove()).toMatchObject({ __typename: 'ConflictRefusal' })
  expect(await hide()).toMatchObject({ __typename: 'ConflictRefusal' })
  await busy.open()
  await turnEnd(busy.watch)
  expect(await hide()).toMatchObject({ session: { status: 'INACTIVE' } })
  expect(await remove()).toMatchObject({ deletedSessionId: 'cli:work' })
  expect(await busy.watch.ended).toContain('NOT_FOUND')
  expect(await statusOf(busy.running.id)).toBeNull()
  await send(ada, 'cli:work', 'Anew')
  expect((await ada.run(SessionDocument, { id: 'cli:work' })).session).toMatchObject({ messageCount: 1 })
})
