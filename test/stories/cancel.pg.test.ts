/** Cancelling a turn: whatever it is doing ends at once, what waits behind it runs, and nothing else ever cancels. */
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Watch } from '../harness/api-client.ts'
import { Lifeline } from '../harness/lifeline.ts'
import { addPlugin, until, update } from '../harness/plugins.ts'
import { addSkill } from '../harness/skills.ts'
import { answersIn, eventsOf, send, Story, turnEnd, watchAll } from '../harness/story.ts'
import { useStubStory } from '../harness/use-stub-story.ts'
import { answerWell } from '../model/good-answers.ts'
import { chunk, sse, type StubAnswer } from '../model/stub-endpoint.ts'
import {
  CancelTurnDocument,
  MessageDocument,
  OpenSessionDocument,
  SessionDocument,
  TurnDocument,
  WatchSessionDocument,
  type WatchSessionSubscription,
} from '../generated/graphql.ts'

type SessionWatch = Watch<WatchSessionSubscription>

let story: Story
beforeAll(async () => {
  story = await Story.begin()
})
afterAll(() => story?.[Symbol.asyncDispose]())

describe('while a command runs', () => {
  test('the command ends with every process it started, the rest is cancelled, and the next message has its turn', async () => {
    await using lifeline = await Lifeline.open()
    const ada = story.as('ada')
    const survivors = 'setsid sleep 600 & (trap "" TERM HUP INT; sleep 600) & nohup sleep 600 &'
    const command = `${lifeline.hold}; echo begun; ${survivors} sleep 600`
    const { message } = await send(ada, 'cli:cancel', `run: ${command}\nrun: echo never`)
    const next = await send(ada, 'cli:cancel', 'run: echo next')
    await using watch = watchAll(ada, 'cli:cancel')
    await Promise.all([
      lifeline.held,
      watch.until(({ sessionEvents }) => sessionEvents.__typename === 'TaskOutputEvent'),
    ])

    const { cancelTurn } = await ada.run(CancelTurnDocument, { sessionId: 'cli:cancel' })
    // Its status is as it is when the answer is put together: the end may have come first.
    expect(cancelTurn).toMatchObject({ turn: { cancelRequested: true } })
    await lifeline.released
    const ended = await turnEnd(watch)
    expect(ended).toMatchObject({ turnStatus: 'CANCELLED', failure: null })
    const { turn } = await ada.run(TurnDocument, { id: ended.turnId ?? '' })
    expect(turn).toMatchObject({
      status: 'CANCELLED',
      step: 'COMPLETE',
      message: { id: message.id, status: 'CANCELLED' },
    })
    expect(turn?.tasks).toMatchObject([
      { type: 'EXEC', status: 'CANCELLED', output: 'begun\n', exitCode: null, review: null },
      { type: 'EXEC', status: 'CANCELLED', output: null, startedAt: null },
      { type: 'MSG', status: 'CANCELLED', output: null },
    ])

    expect((await turnEnd(watch, 2)).turnStatus).toBe('DONE')
    expect(eventsOf(watch, 'TaskOutputEvent').at(-1)?.text).toBe('next\n')
    expect((await ada.run(MessageDocument, { id: next.message.id })).message?.status).toBe('DONE')
    expect(typesOf(watch, ended.turnId).slice(-2)).toEqual(['PipelineStepEvent', 'TurnCompletedEvent'])
  })

  test('of a turn that has ended by then, the next one goes on', async () => {
    await using lifeline = await Lifeline.open()
    const ada = story.as('ada')
    await using watch = watchAll(ada, 'cli:which')
    await send(ada, 'cli:which', 'run: echo first')
    const { turnId: ended } = await turnEnd(watch)
    await send(ada, 'cli:which', `run: ${lifeline.hold}; sleep 600`)
    await lifeline.held
    const cancel = (turnId: string | null) =>
      ada.run(
        'mutation ($input: CancelTurnInput!) { result: cancelTurn(input: $input) { ... on ConflictRefusal { reason } } }',
        { input: { sessionId: 'cli:which', turnId } },
      )
    expect(await cancel(ended)).toEqual({ result: { reason: 'NOTHING_TO_DO' } })
    const { session } = await ada.run(SessionDocument, { id: 'cli:which' })
    expect(session?.activeTurn).toMatchObject({ status: 'RUNNING', cancelRequested: false })
    expect(await cancel(session?.activeTurn?.id ?? '')).toEqual({ result: {} })
    expect(await turnEnd(watch, 2)).toMatchObject({ turnStatus: 'CANCELLED' })
  })

  test('asking twice is no error, and cancels only the turn that runs', async () => {
    await using lifeline = await Lifeline.open()
    const ada = story.as('ada')
    await send(ada, 'cli:twice', `run: ${lifeline.hold}; sleep 600`)
    await send(ada, 'cli:twice', 'run: echo next')
    await using watch = watchAll(ada, 'cli:twice')
    await lifeline.held
    // In one request: a second one might come when the next turn runs already.
    const twice = `mutation ($id: ID!) {
      first: cancelTurn(input: { sessionId: $id }) { __typename } second: cancelTurn(input: { sessionId: $id }) { __typename } }`
    expect(await ada.run(twice, { id: 'cli:twice' })).toEqual({
      first: { __typename: 'CancelTurnPayload' },
      second: { __typename: 'CancelTurnPayload' },
    })
    expect((await turnEnd(watch)).turnStatus).toBe('CANCELLED')
    expect((await turnEnd(watch, 2)).turnStatus).toBe('DONE')
  })

  test("in a conversation a plugin's tool is told to stop, and is not waited for", async () => {
    const ada = story.as('ada')
    addPlugin(story.home, 'marks', 'marks.ts')
    await until(story, 'marks', 'DISABLED')
    await update(story, { name: 'marks', enabled: true })
    await until(story, 'marks', 'READY')
    await ada.run(OpenSessionDocument, { input: { id: 'cli:chat-tool', mode: 'CHAT' } })
    const path = story.path('stopped')
    await send(ada, 'cli:chat-tool', `tool: marks__mark-when-stopped ${JSON.stringify({ path })}\nAnd?`)
    await using watch = watchAll(ada, 'cli:chat-tool')
    await watch.until(({ sessionEvents }) => sessionEvents.__typename === 'TaskProgressEvent')
    await ada.run(CancelTurnDocument, { sessionId: 'cli:chat-tool' })
    expect(await endOf(story, watch)).toMatchObject({
      status: 'CANCELLED',
      tasks: [{ type: 'TOOL', status: 'CANCELLED' }],
    })
    await expect.poll(() => existsSync(path)).toBe(true)
  })

  test('a skill that the model of a conversation called ends with every process it started', async () => {
    await using lifeline = await Lifeline.open()
    const ada = story.as('ada')
    const program = `#!/bin/bash\n${lifeline.hold}; echo begun; (trap "" TERM HUP INT; sleep 600) & sleep 600\n`
    addSkill(story.home, 'holds', { manifest: 'run = "bin/holds"\n', files: { 'bin/holds': program } })
    await ada.run(OpenSessionDocument, { input: { id: 'cli:chat-skill', mode: 'CHAT' } })
    await using watch = watchAll(ada, 'cli:chat-skill')
    await send(ada, 'cli:chat-skill', 'skill: holds {}\nAnd?')
    await Promise.all([
      lifeline.held,
      watch.until(({ sessionEvents }) => sessionEvents.__typename === 'TaskOutputEvent'),
    ])
    await ada.run(CancelTurnDocument, { sessionId: 'cli:chat-skill' })
    await lifeline.released
    expect(await endOf(story, watch)).toMatchObject({
      status: 'CANCELLED',
      tasks: [{ type: 'SKILL', skill: 'holds', status: 'CANCELLED', output: 'begun\n', exitCode: null }],
    })
  })

  test('a client that goes away cancels nothing', async () => {
    const ada = story.as('ada')
    const gate = story.path('gate')
    await send(ada, 'cli:gone', `run: until [ -e ${gate} ]; do sleep 0.02; done; echo still here`)
    await using overWebSocket = watchAll(ada, 'cli:gone')
    await using overSse = ada.watchSse(WatchSessionDocument, { sessionId: 'cli:gone', after: 0 })
    await Promise.all([overWebSocket.until(isUnderWay), overSse.until(isUnderWay)])
    await Promise.all([overWebSocket.close(), overSse.close()])
    const { session } = await ada.run(SessionDocument, { id: 'cli:gone' })
    expect(session).toMatchObject({ status: 'RUNNING', activeTurn: { cancelRequested: false } })

    await writeFile(gate, '')
    await using back = watchAll(ada, 'cli:gone')
    expect((await turnEnd(back)).turnStatus).toBe('DONE')
    expect(eventsOf(back, 'TaskOutputEvent').map(({ text }) => text)).toEqual(['still here\n'])
  })

  test('where nothing runs there is nothing to cancel', async () => {
    const ada = story.as('ada')
    const cancel = async (sessionId: string) => (await ada.run(CancelTurnDocument, { sessionId })).cancelTurn
    expect(await cancel('cli:never')).toMatchObject({ __typename: 'NotFoundRefusal', missingId: 'cli:never' })
    await send(ada, 'cli:quiet', 'Hello')
    await using watch = watchAll(ada, 'cli:quiet')
    expect((await turnEnd(watch)).turnStatus).toBe('DONE')
    expect(await cancel('cli:quiet')).toMatchObject({ __typename: 'ConflictRefusal', code: 'CONFLICT' })
    const { session } = await ada.run(SessionDocument, { id: 'cli:quiet' })
    expect(session).toMatchObject({ status: 'IDLE', turnCount: 1 })
  })
})

describe('while a model is asked', () => {
  const world = useStubStory(() => story)

  test('its connection is closed, whether the model is silent or has begun to plan', async () => {
    for (const [sessionId, begun] of [
      ['cli:silent', ''],
      ['cli:begun', planBegins],
    ] as const) {
      const call = openCall(begun)
      world.stub.follow({ by: (asked) => (asked.role === 'planner' ? call.answer : answerWell(asked)) })
      const { ended } = await cancelWhen(world.story, { sessionId, ready: call.asked })
      await call.closed
      expect(ended).toMatchObject({ turnStatus: 'CANCELLED', failure: null, usage: { calls: 1 } })
      const { turn } = await world.story.as('ada').run(TurnDocument, { id: ended.turnId ?? '' })
      expect(turn).toMatchObject({ status: 'CANCELLED', plans: [], tasks: [] })
    }
  })

  test('a review is ended too: the command that ran stays done, the answer is never written', async () => {
    const call = openCall('')
    world.stub.follow({ by: (asked) => (asked.role === 'reviewer' ? call.answer : answerWell(asked)) })
    const { ended } = await cancelWhen(world.story, { sessionId: 'cli:review', ready: call.asked })
    await call.closed
    const { turn } = await world.story.as('ada').run(TurnDocument, { id: ended.turnId ?? '' })
    expect(turn?.tasks).toMatchObject([
      { type: 'EXEC', status: 'DONE', output: 'hi\n', review: null },
      { type: 'MSG', status: 'CANCELLED', output: null },
    ])
  })

  test('an answer that was being written stays as far as it had come, and is not final', async () => {
    const call = openCall(sse(chunk([{ index: 0, delta: { content: 'It printed' }, finish_reason: null }])))
    world.stub.follow({ by: (asked) => (asked.role === 'messenger' ? call.answer : answerWell(asked)) })
    const ready = (watch: SessionWatch) =>
      watch.until(({ sessionEvents }) => sessionEvents.__typename === 'TextDeltaEvent')
    const { ended, watch } = await cancelWhen(world.story, { sessionId: 'cli:half', ready })
    await call.closed
    const { turn } = await world.story.as('ada').run(TurnDocument, { id: ended.turnId ?? '' })
    expect(turn?.tasks.at(-1)).toMatchObject({ type: 'MSG', status: 'CANCELLED', output: 'It printed', final: false })
    expect(answersIn(watch)).toEqual([])
  })

  test("so does a conversation's answer, while it is thought of and while it is written", async () => {
    const ada = world.story.as('ada')
    for (const [sessionId, delta, shown] of [
      ['cli:chat-thinks', { reasoning: 'Let me' }, 'ThinkingEvent'],
      ['cli:chat-writes', { content: 'It printed' }, 'TextDeltaEvent'],
    ] as const) {
      await ada.run(OpenSessionDocument, { input: { id: sessionId, mode: 'CHAT' } })
      const call = openCall(sse(chunk([{ index: 0, delta, finish_reason: null }])))
      world.stub.follow({ always: call.answer })
      const ready = (watch: SessionWatch) => watch.until(({ sessionEvents }) => sessionEvents.__typename === shown)
      const { ended, watch } = await cancelWhen(world.story, { sessionId, ready })
      await call.closed
      expect(ended).toMatchObject({ turnStatus: 'CANCELLED', failure: null, usage: { calls: 1 } })
      expect(answersIn(watch)).toEqual([])
    }
  })

  test('a pause before another try is cut short', async () => {
    const asked = Promise.withResolvers<void>()
    const busy: StubAnswer = (response) => {
      response.writeHead(429, { 'retry-after': '50' }).end()
      asked.resolve()
    }
    world.stub.follow({ always: busy })
    const { ended } = await cancelWhen(world.story, { sessionId: 'cli:pause', ready: () => asked.promise })
    expect(ended).toMatchObject({ turnStatus: 'CANCELLED' })
    world.stub.follow({ by: answerWell })
    await send(world.story.as('ada'), 'cli:pause', 'Once more')
    await using watch = watchAll(world.story.as('ada'), 'cli:pause')
    expect((await turnEnd(watch, 2)).turnStatus).toBe('DONE')
  })
})

/** The turn that ended first, in which nothing was said. */
async function endOf(story: Story, watch: SessionWatch) {
  const { turnId } = await turnEnd(watch)
  expect(answersIn(watch)).toEqual([])
  return (await story.as('ada').run(TurnDocument, { id: turnId ?? '' })).turn
}

/** Sends a message, cancels its turn when `ready`, and waits for the end. */
async function cancelWhen(
  story: Story,
  { sessionId, ready }: { sessionId: string; ready: (watch: SessionWatch) => Promise<unknown> },
) {
  const ada = story.as('ada')
  await send(ada, sessionId, 'Say hi')
  const watch = watchAll(ada, sessionId)
  await ready(watch)
  const { cancelTurn } = await ada.run(CancelTurnDocument, { sessionId })
  expect(cancelTurn.__typename).toBe('CancelTurnPayload')
  const ended = await turnEnd(watch)
  expect(typesOf(watch, ended.turnId).slice(-2)).toEqual(['PipelineStepEvent', 'TurnCompletedEvent'])
  await watch.close()
  return { ended, watch }
}

const planBegins = sse(chunk([{ index: 0, delta: { content: '{"goal":"Say' }, finish_reason: null }]))

/** An answer that begins like this and never ends by itself. */
function openCall(begin: string) {
  const asked = Promise.withResolvers<void>()
  const closed = Promise.withResolvers<void>()
  const answer: StubAnswer = (response) => {
    response.once('close', () => closed.resolve())
    if (begin !== '') response.writeHead(200, { 'content-type': 'text/event-stream' }).write(begin)
    asked.resolve()
  }
  return { answer, asked: () => asked.promise, closed: closed.promise }
}

function typesOf(watch: SessionWatch, turnId: string | null | undefined): string[] {
  const ofTurn = watch.received.filter(({ sessionEvents }) => sessionEvents.turnId === turnId)
  return ofTurn.map(({ sessionEvents }) => sessionEvents.__typename)
}

function isUnderWay({ sessionEvents: event }: WatchSessionSubscription): boolean {
  return event.__typename === 'TaskUpdateEvent' && event.taskStatus === 'RUNNING'
}
