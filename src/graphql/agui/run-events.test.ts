import { expect, test } from 'vitest'
import type { TurnEvent } from '../protocols/turn-documents.ts'
import { RunEvents, type RunEvent } from './run-events.ts'
import type { PageContent } from './run-input.ts'

const NOTHING: PageContent = { texts: new Map(), thoughts: new Map(), calls: new Set(), results: new Set() }
const OF_TURN = { seq: 1, turnId: 'turn_1' }

/** What a page that has `shown` is given of the events. */
function eventsOf(shown: Partial<PageContent>, events: readonly TurnEvent[]): RunEvent[] {
  const input = { threadId: 't', runId: 'r', namesCancelled: true, viewer: { user: null } }
  const run = new RunEvents(input, { ...NOTHING, ...shown })
  return events.flatMap((event) => run.eventsOf(event))
}

function completed(content: string): TurnEvent {
  return { ...OF_TURN, __typename: 'TextCompletedEvent', taskId: 'task_1', content }
}

function thought(content: string, isWhole: boolean): TurnEvent {
  return { ...OF_TURN, __typename: 'ThinkingEvent', thinkingId: 'think_1', delta: content, content, isWhole }
}

test('a page that has a broken text and the whole one under another id is given neither again', () => {
  const events = [completed('Good day.')]
  const first = eventsOf({ texts: new Map([['task_1', 'Hel']]) }, events)
  expect(first.map(({ type, messageId }) => [type, messageId])).toEqual([
    ['TEXT_MESSAGE_START', 'task_1_2'],
    ['TEXT_MESSAGE_CONTENT', 'task_1_2'],
    ['TEXT_MESSAGE_END', 'task_1_2'],
  ])
  const texts = new Map([
    ['task_1', 'Hel'],
    ['task_1_2', 'Good day.'],
  ])
  expect(eventsOf({ texts }, events)).toEqual([])
})

test('of a thought that a page has the beginning of, it is given the rest', () => {
  const events = [thought('Let me', false), thought('Let me see.', true)]
  expect(eventsOf({ thoughts: new Map([['think_1', 'Let me see.']]) }, events)).toEqual([])
  const rest = eventsOf({ thoughts: new Map([['think_1', 'Let']]) }, events)
  expect(rest.map(({ type }) => type)).toEqual([
    'REASONING_START',
    'REASONING_MESSAGE_START',
    'REASONING_MESSAGE_CONTENT',
    'REASONING_MESSAGE_END',
    'REASONING_END',
  ])
  expect(rest).toContainEqual({ type: 'REASONING_MESSAGE_CONTENT', messageId: 'think_1', delta: ' me see.' })
})
