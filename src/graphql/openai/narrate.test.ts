import { expect, test } from 'vitest'
import type { TurnEvent } from '../protocols/turn-documents.ts'
import { Narrator } from './narrate.ts'

const PLACE = { seq: 1, turnId: 'turn_1' }

function think(delta: string, content = '', thinkingId = 'one'): TurnEvent {
  return { ...PLACE, __typename: 'ThinkingEvent', thinkingId, delta, content, isWhole: content !== '' }
}
const tasks = [{ id: 'task_1', type: 'MSG', detail: 'Answers.', tool: null, skill: null }] as const
const planned: TurnEvent = {
  ...PLACE,
  __typename: 'PlanCreatedEvent',
  plan: { attempt: 1, goal: 'Answer', replanReason: null, tasks },
}
const ended: TurnEvent = { ...PLACE, __typename: 'TurnCompletedEvent', turnStatus: 'DONE', failure: null }
const said: TurnEvent = { ...PLACE, __typename: 'TextDeltaEvent', taskId: 'task_1', delta: 'Hi ' }
const whole: TurnEvent = { ...PLACE, __typename: 'TextCompletedEvent', taskId: 'task_1', content: 'Hi there.' }

const PLAN = 'Answer\n1. MSG Answers.\n'

test.each([
  [
    'a plan comes behind the thought in which it is made',
    [think('Let me '), planned, think('', 'Let me see.')],
    `Let me see.\n${PLAN}`,
    '',
  ],
  ['a thought that was never whole holds nothing back', [think('Let me '), planned, ended], `Let me ${PLAN}`, ''],
  [
    'a text ends the thought before it',
    [think('Let me see.'), planned, said, think('', 'Let me see.'), whole],
    `Let me see.\n${PLAN}`,
    'Hi there.',
  ],
  ['nor before another thought', [think('Let me '), planned, think('', 'So.', 'two')], `Let me ${PLAN}So.\n`, ''],
  ['without a thought it comes at once', [planned], PLAN, ''],
] as const)('%s', (...[, events, reasoning, text]) => {
  const narrator = new Narrator()
  const pieces = events.flatMap((event) => narrator.piecesOf(event))
  const joined = (of: string): string => pieces.flatMap(({ kind, text }) => (kind === of ? [text] : [])).join('')
  expect([joined('reasoning'), joined('text')]).toEqual([reasoning, text])
})

test('nothing comes between the pieces of a text, when its thought is stored before it is whole', () => {
  const narrator = new Narrator()
  const events = [think('Let me see.'), planned, said, think('', 'Let me see.'), whole]
  const kinds = events.flatMap((event) => narrator.piecesOf(event).map(({ kind }) => kind))
  expect(kinds).toEqual(['reasoning', 'reasoning', 'reasoning', 'text', 'text'])
})
