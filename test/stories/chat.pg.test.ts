/** A session of mode CHAT: a model answers, calls tools until it needs none, and all of it is rows and events. */
import { writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SILENCE_MARKER } from '../../src/core/text/silence-filter.ts'
import type { ApiClient } from '../harness/api-client.ts'
import { approvalRules, decide, untilAsked } from '../harness/approvals.ts'
import { select } from '../harness/plugins.ts'
import { addExampleSkill } from '../harness/skills.ts'
import { answersIn, converse, eventsOf, send, Story, storyConfig, turnEnd, watchAll } from '../harness/story.ts'
import { useStubStory } from '../harness/use-stub-story.ts'
import { chunk, sse, type StubCall } from '../model/stub-endpoint.ts'
import {
  CancelTurnDocument,
  FactsUsedDocument,
  OpenSessionDocument,
  SendMessageDocument,
  StateFactDocument,
  UpdateSessionDocument,
} from '../generated/graphql.ts'

/** A call of `touch` has to wait. */
const STRICT = storyConfig({ toml: approvalRules('effect = "require"\ncommand = "touch"') })

let story: Story
beforeAll(async () => {
  story = await Story.begin()
})
afterAll(() => story[Symbol.asyncDispose]())

async function openChat(client: ApiClient, id: string, more: object = {}): Promise<void> {
  const { openSession } = await client.run(OpenSessionDocument, { input: { id, mode: 'CHAT', ...more } })
  expect(openSession).toMatchObject({ __typename: 'OpenSessionPayload' })
}

describe('a conversation', () => {
  test('is answered at once where nothing is to be done', async () => {
    const ada = story.as('ada')
    await openChat(ada, 'cli:chat-plain')
    const turn = await converse(ada, 'cli:chat-plain', 'Hello there')
    expect(turn.status).toBe('DONE')
    expect(turn.plans).toHaveLength(1)
    expect(turn.tasks).toMatchObject([{ type: 'MSG', status: 'DONE' }])
    expect(turn.answers).toEqual([expect.stringContaining('> Hello there')])
    await using watch = watchAll(ada, 'cli:chat-plain')
    await turnEnd(watch)
    const steps = eventsOf(watch, 'PipelineStepEvent').map(({ step }) => step)
    expect(steps).toEqual(['RECEIVED', 'CONTEXT', 'ANSWERING', 'DELIVERING', 'COMPLETE'])
    expect(eventsOf(watch, 'TextDeltaEvent')).toEqual([])
    expect(eventsOf(watch, 'TextCompletedEvent')).toMatchObject([{ final: true, attempt: 1 }])
  })

  test('calls commands and tools, round after round, and answers with what came of them', async () => {
    const ada = story.as('ada')
    await openChat(ada, 'cli:chat-calls')
    const message = [
      'think: Two commands, then a third.',
      'run: echo one > kept; echo first',
      'run: cat kept; exit 3',
      '',
      'run: cat kept',
      'tool: nothing__here {}',
      'learn: The build needs Node 24.',
      'How did it go?',
    ]
    const turn = await converse(ada, 'cli:chat-calls', message.join('\n'))
    expect(turn.status).toBe('DONE')
    expect(turn.plans).toMatchObject([
      {
        attempt: 1,
        tasks: [
          { type: 'EXEC', detail: 'echo one > kept; echo first', status: 'DONE', output: 'first\n' },
          { type: 'EXEC', status: 'FAILED', exitCode: 3, output: 'one\n' },
          { type: 'EXEC', status: 'DONE', output: 'one\n' },
          {
            type: 'TOOL',
            tool: 'nothing__here',
            status: 'FAILED',
            stderr: expect.stringContaining('There is no tool'),
          },
          { type: 'TOOL', tool: 'memory__remember', status: 'DONE', output: 'It was kept, and will be checked.' },
          { type: 'MSG', status: 'DONE' },
        ],
      },
    ])
    expect(turn.tasks.every(({ review }) => review === null)).toBe(true)
    const [answer = ''] = turn.answers
    expect(answer).toContain('> How did it go?')
    expect(answer).toContain('exit code 3')
    await using watch = watchAll(ada, 'cli:chat-calls')
    await turnEnd(watch)
    const thoughts = eventsOf(watch, 'ThinkingEvent')
    expect(thoughts).toMatchObject([{ isWhole: true, delta: '', content: 'Two commands, then a third.' }])
    const steps = eventsOf(watch, 'PipelineStepEvent').map(({ step }) => step)
    expect(steps.filter((step) => step === 'ANSWERING')).toHaveLength(3)
  })

  test('keeps a call of a skill with the arguments that it cannot be made with', async () => {
    addExampleSkill(story.home, 'json-pick')
    const ada = story.as('ada')
    await openChat(ada, 'cli:chat-skill')
    const { tasks } = await converse(ada, 'cli:chat-skill', 'skill: json-pick {"pick": "a.b"}\nAnd?')
    const stderr = expect.stringContaining('The call was not made')
    expect(tasks).toMatchObject([{ type: 'SKILL', status: 'FAILED', stderr }, { type: 'MSG' }])
    const args = await select(story, `SELECT args FROM tasks WHERE session_id = 'cli:chat-skill' AND type = 'SKILL'`)
    expect(args).toEqual([{ args: { pick: 'a.b' } }])
  })

  test('knows what was said before, in both modes', async () => {
    const ada = story.as('ada')
    await openChat(ada, 'cli:chat-modes')
    await converse(ada, 'cli:chat-modes', 'First')
    const sent = await ada.run(SendMessageDocument, {
      input: { sessionId: 'cli:chat-modes', content: 'run: echo planned', mode: 'PLAN' },
    })
    expect(sent.sendMessage).toMatchObject({ __typename: 'SendMessagePayload' })
    await using watch = watchAll(ada, 'cli:chat-modes')
    await turnEnd(watch, 2)
    expect(eventsOf(watch, 'ReviewEvent')).toHaveLength(1)
    await ada.run(UpdateSessionDocument, { input: { id: 'cli:chat-modes', mode: 'PLAN' } })
    const planned = await converse(ada, 'cli:chat-modes', 'Hello')
    expect(planned.plans[0]?.goal).not.toBe('Answer the message.')
  })

  test('keeps a secret out of every row, and under its name', async () => {
    const ben = story.as('ben')
    await openChat(ben, '@ben:chat-secret')
    const turn = await converse(ben, '@ben:chat-secret', 'secret: DEPLOY_KEY=hunter2hunter2\nrun: echo hunter2hunter2')
    expect(JSON.stringify(turn)).not.toContain('hunter2')
    expect(turn.tasks.at(-1)).toMatchObject({ type: 'MSG', status: 'DONE' })
  })

  test('that is asked to stay silent says nothing', async () => {
    const ada = story.as('ada')
    await openChat(ada, 'cli:chat-silent', { source: { kind: 'cli', type: 'GROUP' } })
    const sent = await ada.run(SendMessageDocument, {
      input: { sessionId: 'cli:chat-silent', content: 'silent:', mentioned: true },
    })
    expect(sent.sendMessage).toMatchObject({ __typename: 'SendMessagePayload' })
    await using watch = watchAll(ada, 'cli:chat-silent')
    expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'DONE' })
    expect(answersIn(watch)).toEqual([])
  })
})

test('a cancelled answer ends within a second, and what it had begun is not run again', async () => {
  const ada = story.as('ada')
  await openChat(ada, 'cli:chat-cancel')
  await send(ada, 'cli:chat-cancel', 'run: echo begun; sleep 600\nrun: echo never')
  await using watch = watchAll(ada, 'cli:chat-cancel')
  await watch.until(({ sessionEvents: event }) => event.__typename === 'TaskOutputEvent')
  await ada.run(CancelTurnDocument, { sessionId: 'cli:chat-cancel' })
  expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'CANCELLED' })
  const ended = eventsOf(watch, 'TaskUpdateEvent').filter(({ taskStatus }) => taskStatus === 'CANCELLED')
  expect(ended).toHaveLength(2)
})

describe('approvals', () => {
  test('that a call needs are asked for before any call of its answer; one that is denied is given to the model', async () => {
    await using _strict = await story.reconfigureForNow(STRICT)
    const ada = story.as('ada')
    await openChat(ada, 'cli:chat-approvals')
    await send(ada, 'cli:chat-approvals', 'run: echo free\nrun: touch a\nrun: touch b\nAnd?')
    await using watch = watchAll(ada, 'cli:chat-approvals')
    const [first, second] = await untilAsked(watch, 2)
    expect(eventsOf(watch, 'TaskOutputEvent')).toEqual([])
    await decide(ada, { id: first?.id ?? '', approve: true })
    await decide(ada, { id: second?.id ?? '', approve: false, note: 'Not b, please.' })
    expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'DONE' })
    const [answer = ''] = answersIn(watch)
    expect(answer).toContain('free')
    expect(answer).toMatch(/Failed\.\s+Task 3 was denied by ada\. The note says: Not b, please\./)
    expect(answer).not.toContain('Done, but rejected')
    const turn = eventsOf(watch, 'TaskUpdateEvent').filter(({ taskStatus }) => taskStatus === 'RUNNING')
    expect(turn.filter(({ task }) => task.type === 'EXEC').map(({ task }) => task.detail)).toEqual([
      'echo free',
      'touch a',
    ])
  })
})

test('what the user adds while a call waits for its approval is heard before it is made', async () => {
  await using _strict = await story.reconfigureForNow(STRICT)
  const ada = story.as('ada')
  await openChat(ada, 'cli:chat-second-thoughts', { busyPolicy: 'STEER' })
  await send(ada, 'cli:chat-second-thoughts', 'run: touch a\nrun: echo b')
  await using watch = watchAll(ada, 'cli:chat-second-thoughts')
  const [asked] = await untilAsked(watch)
  await send(ada, 'cli:chat-second-thoughts', 'No, leave it.')
  await decide(ada, { id: asked?.id ?? '', approve: true })
  await turnEnd(watch, 2)
  const ended = eventsOf(watch, 'TaskUpdateEvent').filter(({ taskStatus }) => ['DONE', 'SKIPPED'].includes(taskStatus))
  expect(ended.map(({ task, taskStatus }) => [task.type, taskStatus])).toEqual([
    ['EXEC', 'SKIPPED'],
    ['EXEC', 'SKIPPED'],
    ['MSG', 'DONE'],
  ])
  expect(answersIn(watch)).toEqual([expect.stringContaining('> No, leave it.')])
})

test('facts that are new after a wait for an approval count as shown to the model', async () => {
  await using _strict = await story.reconfigureForNow(STRICT)
  const ada = story.as('ada')
  await openChat(ada, 'cli:chat-later-fact')
  await send(ada, 'cli:chat-later-fact', 'run: touch a\nTell me of the harbour of Ystad.\nuses: 5070')
  await using watch = watchAll(ada, 'cli:chat-later-fact')
  const [asked] = await untilAsked(watch)
  const content = 'The harbour of Ystad answers on port 5070.'
  const { createFact } = await ada.run(StateFactDocument, { input: { content } })
  expect(createFact.__typename).toBe('CreateFactPayload')
  await decide(ada, { id: asked?.id ?? '', approve: true })
  const { turnId, turnStatus } = await turnEnd(watch)
  expect(turnStatus).toBe('DONE')
  const { turn } = await ada.run(FactsUsedDocument, { id: turnId ?? '' })
  expect(turn).toMatchObject({ factsShown: [{ content }], factsUsed: [{ content }] })
})

test('what the user adds while a call runs is answered in the same turn, and what had not begun is left out', async () => {
  const ada = story.as('ada')
  const gate = story.path('gate')
  await openChat(ada, 'cli:chat-steer', { busyPolicy: 'STEER' })
  await send(ada, 'cli:chat-steer', `run: echo begun; until [ -e ${gate} ]; do sleep 0.02; done\nrun: echo never`)
  await using watch = watchAll(ada, 'cli:chat-steer')
  await watch.until(({ sessionEvents: event }) => event.__typename === 'TaskOutputEvent')
  await send(ada, 'cli:chat-steer', 'run: echo added\nAnd this')
  await writeFile(gate, '')
  await turnEnd(watch, 2)
  const ended = eventsOf(watch, 'TaskUpdateEvent').filter(({ task, taskStatus }) =>
    task.type === 'EXEC' ? ['DONE', 'SKIPPED'].includes(taskStatus) : false,
  )
  expect(ended.map(({ task, taskStatus }) => [task.detail.slice(0, 10), taskStatus])).toEqual([
    ['echo begun', 'DONE'],
    ['echo never', 'SKIPPED'],
    ['echo added', 'DONE'],
  ])
  expect(answersIn(watch)).toEqual([expect.stringContaining('> And this')])
})

describe('of a model that thinks first', () => {
  const world = useStubStory(() => story)

  test('goes on where the provider wants its reasoning back, and no command is run twice', async () => {
    const ada = story.as('ada')
    await openChat(ada, 'cli:chat-reasoned')
    const isRefused = ({ body: { messages = [] } }: StubCall): boolean =>
      messages.some((one) => one.role === 'assistant' && !('reasoning_content' in one))
    const said = 'The `reasoning_content` in the thinking mode must be passed back to the API.'
    const exec = { name: 'exec', arguments: '{"command":"echo once >> ran; cat ran"}' }
    const call = { content: '', toolCalls: [{ index: 0, id: 'a', function: exec }], finishReason: 'tool_calls' }
    const isCalled = ({ body: { messages = [] } }: StubCall): boolean => messages.some(({ role }) => role === 'tool')
    world.stub.follow({
      by: (asked) => {
        if (isRefused(asked)) return { status: 400, body: { error: { message: said } } }
        return isCalled(asked) || asked.user.includes('And now?') ? 'It ran.' : call
      },
    })
    const first = await converse(ada, 'cli:chat-reasoned', 'Run it')
    expect(first.tasks).toMatchObject([
      { type: 'EXEC', status: 'DONE', output: 'once\n' },
      { type: 'MSG', status: 'DONE' },
    ])
    expect(first.answers).toEqual(['It ran.'])
    const second = await converse(ada, 'cli:chat-reasoned', 'And now?')
    expect([second.status, second.answers]).toEqual(['DONE', ['It ran.']])
    expect(world.stub.calls.filter(isRefused)).toHaveLength(1)
  })

  test('after a silent turn what the user says is one message, since some chat templates refuse two in a row', async () => {
    const ada = story.as('ada')
    await openChat(ada, 'cli:chat-by-turns')
    world.stub.follow({ list: [SILENCE_MARKER, 'Here.'] })
    expect((await converse(ada, 'cli:chat-by-turns', 'I am back.')).answers).toEqual([])
    expect((await converse(ada, 'cli:chat-by-turns', 'And now?')).answers).toEqual(['Here.'])
    expect(world.stub.calls.at(-1)?.body.messages?.map(({ role }) => role)).toEqual(['system', 'user'])
  })

  test('the whole thought is shown before the text, also while the text is written', async () => {
    const ada = story.as('ada')
    await openChat(ada, 'cli:chat-thought')
    const seen = Promise.withResolvers<void>()
    const pieces = [{ reasoning: 'Let me' }, { reasoning: ' see.' }, { content: 'It ' }]
    const begin = pieces.map((delta) => sse(chunk([{ index: 0, delta, finish_reason: null }])))
    const end = sse(chunk([{ index: 0, delta: { content: 'works.' }, finish_reason: 'stop' }]))
    world.stub.follow({
      always: (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write(begin.join(''))
        void seen.promise.then(() => response.end(`${end}data: [DONE]\n\n`))
      },
    })
    await send(ada, 'cli:chat-thought', 'Does it?')
    await using watch = watchAll(ada, 'cli:chat-thought')
    await watch.until(({ sessionEvents: event }) => event.__typename === 'TextDeltaEvent')
    const thought = eventsOf(watch, 'ThinkingEvent').map(({ delta }) => delta)
    seen.resolve()
    expect(thought.join('')).toBe('Let me see.')
    await turnEnd(watch)
    expect(answersIn(watch)).toEqual(['It works.'])
  })
})
