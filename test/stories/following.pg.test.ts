/** A page that follows a session's events alone: whatever it keeps of sessions, turns, tasks and messages is right. */
import { writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventsOf, send, Story, turnEnd, watchAll } from '../harness/story.ts'
import {
  FollowDifferentlyDocument,
  FollowPageDocument,
  PageDocument,
  type FollowPageSubscription,
} from '../generated/graphql.ts'

type Row = Readonly<Record<string, unknown>>

/** As clients normalise: whatever has an id is one entry, and the newest value of each field stays. */
function keep(rows: Map<string, Row>, value: unknown): void {
  if (Array.isArray(value)) for (const one of value) keep(rows, one)
  if (typeof value !== 'object' || value === null) return
  const { id } = value as { readonly id?: unknown }
  const scalars = Object.entries(value).filter(([key, one]) => key === 'review' || typeof one !== 'object')
  if (typeof id === 'string') rows.set(id, { ...rows.get(id), ...Object.fromEntries(scalars) })
  for (const one of Object.values(value)) keep(rows, one)
}

function keptOf(value: unknown): Record<string, Row> {
  const rows = new Map<string, Row>()
  keep(rows, value)
  return Object.fromEntries(rows)
}

let story: Story
beforeAll(async () => {
  story = await Story.begin()
})
afterAll(() => story?.[Symbol.asyncDispose]())

/** What a command begins with that goes on once it is let go. */
const holding = (gate: string): string => `until [ -e ${story.path(gate)} ]; do sleep 0.02; done`
const letGo = (gate: string): Promise<void> => writeFile(story.path(gate), '')

test('after the turns have ended, what the events have told is what a query shows', async () => {
  const sessionId = 'cli:page'
  const ada = story.as('ada')
  await send(ada, sessionId, `run: ${holding('page')}; echo one`)
  await using watch = ada.watch(FollowPageDocument, { sessionId, after: 0 })
  await watch.until(({ sessionEvents: event }) => event.__typename === 'TaskUpdateEvent')
  await send(ada, sessionId, 'run: echo two')
  await send(ada, sessionId, 'fail:\nrun: echo three')
  await letGo('page')
  await using whole = watchAll(ada, sessionId)
  await turnEnd(whole, 3)
  await untilEnded(watch.until.bind(watch), 3)

  const events = watch.received.map(({ sessionEvents }) => sessionEvents)
  const folded = keptOf(events.map(({ __typename: _name, seq: _seq, ...event }) => event))
  const shown = keptOf(await ada.run(PageDocument, { sessionId }))
  // Tasks that no event spoke of were never begun: the page has them from the plan.
  const unheard = Object.keys(shown).filter((id) => folded[id] === undefined)
  expect(unheard).toEqual([])
  for (const [id, row] of Object.entries(folded)) expect(shown[id]).toMatchObject(row)
})

test('a message that waited tells when its turn begins', async () => {
  const sessionId = 'cli:waited'
  const ada = story.as('ada')
  await send(ada, sessionId, `run: ${holding('waited')}; echo one`)
  const { message } = await send(ada, sessionId, 'run: echo two')
  expect(message.status).toBe('QUEUED')
  await letGo('waited')
  await using watch = watchAll(ada, sessionId)
  await turnEnd(watch, 2)
  const updated = eventsOf(watch, 'MessageUpdatedEvent').filter((event) => event.message.id === message.id)
  const begun = eventsOf(watch, 'PipelineStepEvent').find(
    ({ step, turnId }) => step === 'RECEIVED' && turnId === updated[0]?.turnId,
  )
  expect(updated).toHaveLength(1)
  expect(begun?.seq).toBe((updated[0]?.seq ?? 0) + 1)
})

test('only the types that are asked for are told, after a snapshot', async () => {
  const sessionId = 'cli:types'
  const ada = story.as('ada')
  await send(ada, sessionId, `run: ${holding('types')}; echo one`)
  const types = ['TURN_COMPLETED', 'REVIEW'] as const
  await using watch = ada.watch(FollowPageDocument, { sessionId, types: [...types] })
  await watch.until(({ sessionEvents: event }) => event.__typename === 'SessionSnapshot')
  await letGo('types')
  await untilEnded(watch.until.bind(watch), 1)
  expect(watch.received.map(({ sessionEvents }) => sessionEvents.__typename)).toEqual([
    'SessionSnapshot',
    'ReviewEvent',
    'TurnCompletedEvent',
  ])
})

test('kinds of event may ask for one field with arguments and selections of their own', async () => {
  const sessionId = 'cli:kinds'
  const ada = story.as('ada')
  await send(ada, sessionId, 'run: echo one')
  await send(ada, sessionId, 'run: echo two')
  await using whole = watchAll(ada, sessionId)
  await turnEnd(whole, 2)
  // From the log, many events are shown at once.
  await using watch = ada.watch(FollowDifferentlyDocument, { sessionId, after: 0 })
  const { sessionEvents: last } = await watch.until(
    ({ sessionEvents: event }) => event.__typename === 'TurnCompletedEvent',
  )
  expect(last).toMatchObject({
    session: { messages: { edges: [{ node: { content: 'run: echo one' } }, { node: { content: 'run: echo two' } }] } },
  })
})

function untilEnded(
  until: (accept: (data: FollowPageSubscription) => boolean) => Promise<FollowPageSubscription>,
  times: number,
): Promise<unknown> {
  let ended = 0
  return until(({ sessionEvents }) => sessionEvents.__typename === 'TurnCompletedEvent' && ++ended === times)
}
