import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { adminWorkspacePath } from '../../src/execution/workspace/workspace.ts'
import { untilFollowed } from '../harness/ask-operators.ts'
import { answersIn, converse, eventsOf, send, Story, turnEnd, watchAll } from '../harness/story.ts'
import { SessionDocument, SessionPageDocument } from '../generated/graphql.ts'

let story: Story
beforeAll(async () => {
  story = await Story.begin()
})
afterAll(() => story?.[Symbol.asyncDispose]())

test('a message becomes a plan, its commands really run and are reviewed, the answer is delivered, and every step is seen', async () => {
  const ada = story.as('ada')
  const { message } = await send(
    ada,
    'cli:demo',
    'run: echo hi > greeting.txt && cat greeting.txt\nWhat does the file say?',
  )
  await using watch = watchAll(ada, 'cli:demo')
  const end = await turnEnd(watch)

  expect(end).toMatchObject({ turnStatus: 'DONE', failure: null, commandsHandled: [] })
  const steps = watch.received.map(({ sessionEvents: event }) => describe(event))
  // What is printed comes in as many pieces as a busy machine makes of it; the turn may begin with the message or after
  // it.
  const isFurtherPiece = (name: string, n: number): boolean => name === 'TaskOutput' && steps[n - 1] === 'TaskOutput'
  expect(
    steps.filter((name, n) => name !== 'TextDelta' && name !== 'MessageUpdated' && !isFurtherPiece(name, n)),
  ).toEqual([
    'MessageReceived',
    'RECEIVED',
    'CONTEXT',
    'PLANNING',
    'PLANNED',
    'VALIDATION',
    'PlanCreated',
    'EXECUTING',
    'TaskUpdate RUNNING',
    'TaskOutput',
    'TaskUpdate DONE',
    'REVIEWING',
    'Review',
    'TaskUpdate RUNNING',
    'DELIVERING',
    'TextCompleted',
    'TaskUpdate DONE',
    'COMPLETE',
    'TurnCompleted',
  ])
  expect(answersIn(watch)).toHaveLength(1)
  expect(answersIn(watch)[0]).toContain('hi')

  const { session } = await ada.run(SessionPageDocument, { id: 'cli:demo' })
  const shown = session?.messages.edges[0]?.node
  expect(shown).toMatchObject({
    id: message.id,
    status: 'DONE',
    turn: { status: 'DONE', step: 'COMPLETE', usage: { calls: 3 } },
  })
  expect(shown?.turn?.plans).toHaveLength(1)
  expect(shown?.turn?.plans[0]?.tasks).toMatchObject([
    { type: 'EXEC', status: 'DONE', output: 'hi\n', exitCode: 0, review: { verdict: 'OK' }, final: false },
    { type: 'MSG', status: 'DONE', output: answersIn(watch)[0], final: true },
  ])
  expect(await readFile(join(adminWorkspacePath(story.home, 'cli:demo'), 'greeting.txt'), 'utf8')).toBe('hi\n')

  const { session: item } = await ada.run(SessionDocument, { id: 'cli:demo' })
  expect(item).toMatchObject({
    status: 'IDLE',
    messageCount: 1,
    turnCount: 1,
    queueLength: 0,
    activeTurn: null,
    participants: [{ name: 'ada' }],
  })
})

test('seq has no gaps but where text pieces were, and the pieces add up to the text', async () => {
  const ada = story.as('ada')
  await using watch = watchAll(ada, 'cli:long')
  await untilFollowed(story.app.url)
  await send(ada, 'cli:long', 'A long question. '.repeat(200))
  await turnEnd(watch)
  const seqs = watch.received.map(({ sessionEvents }) => sessionEvents.seq)
  expect(seqs).toEqual(seqs.map((_, index) => index + 1))
  const deltas = eventsOf(watch, 'TextDeltaEvent').map(({ delta }) => delta)
  expect(deltas).not.toEqual([])
  expect(answersIn(watch)[0]?.startsWith(deltas.join(''))).toBe(true)

  await using later = watchAll(ada, 'cli:long')
  await turnEnd(later)
  expect(eventsOf(later, 'TextDeltaEvent')).toEqual([])
  expect(eventsOf(later, 'TextCompletedEvent')).toMatchObject([{ final: true, attempt: 1 }])
})

test('a review that is not content leads to another plan, and the user is told why', async () => {
  const turn = await converse(story.as('ada'), 'cli:replan', 'fail:\nrun: echo first try')
  expect(turn.status).toBe('DONE')
  expect(turn.plans).toHaveLength(2)
  expect(turn.plans[0]?.tasks[0]).toMatchObject({ type: 'EXEC', review: { verdict: 'REPLAN' } })
  expect(turn.plans[0]?.tasks[1]).toMatchObject({ status: 'SKIPPED' })
  expect(turn.plans[1]?.replanReason).toBe(turn.plans[0]?.tasks[0]?.review?.reason)
  expect(turn.answers.join('\n')).toContain('did not work')
})

test('sessions run side by side: a slow one keeps nobody waiting', async () => {
  const ada = story.as('ada')
  await send(ada, 'cli:slow', 'run: sleep 30')
  await using slow = watchAll(ada, 'cli:slow')
  await slow.until(({ sessionEvents: event }) => event.__typename === 'TaskUpdateEvent')
  const turn = await converse(ada, 'cli:quick', 'run: echo quick')
  expect(turn.status).toBe('DONE')
  expect(eventsOf(slow, 'TurnCompletedEvent')).toEqual([])
})

/** An event in one word or two. */
function describe(event: { __typename: string; step?: unknown; taskStatus?: unknown }): string {
  const name = event.__typename.replace(/Event$/, '')
  if (name === 'PipelineStep') return String(event.step)
  return name === 'TaskUpdate' ? `${name} ${String(event.taskStatus)}` : name
}
