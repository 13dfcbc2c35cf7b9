/**
 * What holds for a plan's turn holds for a conversation's: budgets, the words of strangers, what a checkpoint goes
 * over, and what a model's calls have cost.
 */
import { expect, test } from 'vitest'
import {
  AppendMessageDocument,
  AuditDocument,
  CheckpointSessionDocument,
  LearningsDocument,
  OpenSessionDocument,
  SessionDocument,
  TurnDocument,
} from '../generated/graphql.ts'
import type { ApiClient } from '../harness/api-client.ts'
import { converse, eventsOf, send, storyConfig, turnEnd, watchAll } from '../harness/story.ts'
import { useStubStory } from '../harness/use-stub-story.ts'
import { answerWell, GOOD_INTROSPECTION, shownLabels } from '../model/good-answers.ts'
import type { StubAnswer, StubCall } from '../model/stub-endpoint.ts'

const world = useStubStory()

async function openChat(client: ApiClient, id: string): Promise<void> {
  const { openSession } = await client.run(OpenSessionDocument, { input: { id, mode: 'CHAT' } })
  expect(openSession).toMatchObject({ __typename: 'OpenSessionPayload' })
}

test('a conversation waits between two answers when the budget is used up, and its commands run once', async () => {
  const { story } = world
  // The rehearsal model, which runs the commands that a message names.
  await using _spent = await story.reconfigureForNow(storyConfig({ toml: '[budgets]\nuser_tokens_per_day = 1\n' }))
  const [ada, ben] = [story.as('ada'), story.as('ben')]
  await openChat(ben, '@ben:spent')
  await send(ben, '@ben:spent', 'run: echo x >> mark; cat mark\nHow did it go?')
  await using watch = watchAll(ben, '@ben:spent')
  const paused = await watch.until(({ sessionEvents: event }) => event.__typename === 'TurnPausedEvent')
  const id = paused.sessionEvents.turnId ?? ''
  const { turn: waiting } = await ada.run(TurnDocument, { id })
  expect(waiting).toMatchObject({
    status: 'RUNNING',
    pausedReason: expect.stringContaining('The budget of user ben (1 tokens a day) is used up') as string,
    tasks: [{ type: 'EXEC', status: 'DONE', output: 'x\n' }],
  })
  await story.reconfigure(storyConfig())
  expect(await turnEnd(watch)).toMatchObject({ turnId: id, turnStatus: 'DONE' })
  const { turn } = await ada.run(TurnDocument, { id })
  expect(turn?.tasks).toMatchObject([
    { type: 'EXEC', status: 'DONE', output: 'x\n' },
    { type: 'MSG', status: 'DONE' },
  ])
  // Each answer of the model is on the account: of the session, of the turn, and in the audit.
  const { audit } = await ada.run(AuditDocument, { filter: { turnId: id, kind: ['MODEL_CALL'] } })
  const calls = audit.edges.flatMap(({ node }) => (node.__typename === 'ModelCallAudit' ? [node] : []))
  expect(calls.map(({ role }) => role)).toEqual(['assistant', 'assistant'])
  const spent = calls.reduce((sum, { inputTokens }) => sum + inputTokens, 0)
  expect(spent).toBeGreaterThan(0)
  const { session } = await ben.run(SessionDocument, { id: '@ben:spent' })
  expect([turn?.usage.inputTokens, session?.usage.inputTokens]).toEqual([spent, spent])
})

test('a conversation is shown what strangers wrote in other words alone, and a checkpoint goes over it', async () => {
  const own = 'raw words 1'
  const learned = 'The reports of the shop are written by Grace.'
  const answer = (call: StubCall): StubAnswer => {
    if (call.role === 'introspector') return { content: { ...GOOD_INTROSPECTION, learnings: [learned] } }
    if (call.role !== 'paraphraser') return answerWell(call)
    const [message] = shownLabels(call.user, 'M')
    return { content: { paraphrases: [{ message, givesInstructions: false, text: 'A guest spoke of one thing.' }] } }
  }
  const { story, stub } = world
  stub.follow({ by: answer })
  const ada = story.as('ada')
  await openChat(ada, 'cli:guests')
  await story
    .as('bridge')
    .run(AppendMessageDocument, { input: { sessionId: 'cli:guests', user: 'eve#1', content: own } })
  await using watch = watchAll(ada, 'cli:guests')
  const { status, answers } = await converse(ada, 'cli:guests', 'What do I like? Tables.')
  expect([status, answers]).toEqual(['DONE', ['It printed hi.']])
  const steps = (): string[] => eventsOf(watch, 'PipelineStepEvent').map(({ step }) => step)
  await turnEnd(watch)
  expect(steps()).toEqual(['RECEIVED', 'PARAPHRASE', 'CONTEXT', 'ANSWERING', 'DELIVERING', 'COMPLETE'])
  const shown = (call: StubCall): string => JSON.stringify(call.body.messages)
  expect(stub.calls.filter((call) => shown(call).includes(own)).map(({ role }) => role)).toEqual(['paraphraser'])
  const asked = stub.calls.find(({ system }) => system.startsWith('# You are the assistant'))
  expect(asked === undefined ? '' : shown(asked)).toContain('A guest spoke of one thing.')

  const { checkpointSession } = await ada.run(CheckpointSessionDocument, { sessionId: 'cli:guests' })
  expect(checkpointSession).toMatchObject({ __typename: 'CheckpointSessionPayload' })
  await watch.until(({ sessionEvents: event }) => event.__typename === 'CheckpointEvent')
  const introspected = stub.calls.findLast(({ role }) => role === 'introspector')?.user
  expect(introspected).toContain('What do I like? Tables.')
  expect(introspected).toContain('It printed hi.')
  expect(introspected).not.toContain(own)
  const sources = async () => {
    const { learnings } = await ada.run(LearningsDocument, { first: 10 })
    return learnings.edges.map(({ node: { content, source, status: became } }) => ({ content, source, status: became }))
  }
  await expect
    .poll(sources, { interval: 100 })
    .toEqual([{ content: learned, source: 'CHECKPOINT', status: expect.stringMatching(/PROMOTED|PENDING/) as string }])
})
