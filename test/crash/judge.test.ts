/** The crash test is worth what its judge sees: each broken promise must be found, and a kept one must not. */
import { describe, expect, test } from 'vitest'
import type { FinalEvent, FinalState } from './final-state.ts'
import type { Seen } from './follower.ts'
import { judge, type SessionRecord } from './judge.ts'

const SESSION = 'cli:storm-1'
const NOTHING = { lost: [], twice: [], unended: [], disorder: [], gaps: [], complaints: [] }

const step = (seq: number, turn: string, name: string): FinalEvent => ({
  seq,
  type: 'PipelineStep',
  turn_id: turn,
  step: name,
  task_id: null,
  status: null,
})
const events: FinalEvent[] = [
  { ...step(1, 'turn_1', ''), type: 'MessageReceived', step: null },
  step(2, 'turn_1', 'RECEIVED'),
  { ...step(3, 'turn_2', ''), type: 'MessageReceived', step: null },
  step(5, 'turn_1', 'COMPLETE'),
  step(6, 'turn_2', 'RECEIVED'),
  step(7, 'turn_2', 'COMPLETE'),
]
const seen: Seen[] = [
  ...events.slice(0, 3).map(({ seq, type }) => ({ seq, type: `${type}Event` as Seen['type'], isPiece: false })),
  { seq: 4, type: 'TextDeltaEvent', isPiece: true },
  ...events.slice(3).map(({ seq, type }) => ({ seq, type: `${type}Event` as Seen['type'], isPiece: false })),
]

const message = (n: number) => ({
  id: `msg_${n}`,
  session_id: SESSION,
  content: `message ${n}`,
  idempotency_key: `key-${n}`,
  status: 'DONE',
  turn_id: `turn_${n}`,
  turn_status: 'DONE',
  failure: null,
})
const command = (id: string, status: string, approval: string | null = null) => ({
  id,
  detail: approval === null ? `echo ${id} >> /marks; echo ${id}` : `echo ${id} | tee -a /marks; echo ${id}`,
  status,
  approval,
  ending: 'exit code none',
})

const good: FinalState = {
  messages: [message(1), message(2)],
  commands: [command('a', 'DONE'), command('b', 'INTERRUPTED'), command('c', 'INTERRUPTED'), command('d', 'SKIPPED')],
  events: new Map([[SESSION, events]]),
  restless: [],
}
const marks = ['a', 'b']
const record = (changes: { seen?: readonly Seen[]; complaints?: string[] } = {}): SessionRecord => ({
  options: { sessionId: SESSION },
  accepted: [1, 2].map((n) => ({ id: `msg_${n}`, content: `message ${n}`, idempotencyKey: `key-${n}` })),
  complaints: changes.complaints ?? [],
  followers: [{ options: { transport: 'watch' }, seen: [...(changes.seen ?? seen)], complaints: [] }],
})
const withEvents = (changed: FinalEvent[]): FinalState => ({ ...good, events: new Map([[SESSION, changed]]) })
const followed = (changed: readonly Seen[]) => judge([record({ seen: changed })], good, marks)

test('a run in which every promise was kept', () => {
  expect(judge([record()], good, marks)).toEqual(NOTHING)
})

describe('finds', () => {
  test('a message that is gone, changed, or stored twice', () => {
    for (const messages of [
      [message(1)],
      [message(1), { ...message(2), content: 'other' }],
      [message(1), message(2), message(3)],
    ]) {
      expect(judge([record()], { ...good, messages }, marks).lost).toHaveLength(1)
    }
  })

  test('a command that ran twice, did not run, or ran without being started', () => {
    for (const wrong of [['a', 'a', 'b'], ['b'], ['a', 'b', 'd'], ['a', 'b', 'nobody']]) {
      expect(judge([record()], good, wrong).twice).toHaveLength(1)
    }
  })

  test('a command that was not approved and ran; one that did not is no finding', () => {
    const commands = [...good.commands, command('e', 'FAILED', 'DENIED'), command('f', 'DONE', 'APPROVED')]
    expect(judge([record()], { ...good, commands }, [...marks, 'f']).twice).toEqual([])
    expect(judge([record()], { ...good, commands }, [...marks, 'e', 'f']).twice).toHaveLength(1)
  })

  test('a turn that did not end well, and a session that is not at rest', () => {
    const messages = [message(1), { ...message(2), status: 'PROCESSING', turn_status: 'RUNNING' }]
    expect(judge([record()], { ...good, messages, restless: [SESSION] }, marks).unended).toHaveLength(2)
  })

  test('turns that overlap, run in another order, or end twice', () => {
    const overlapping = events.with(3, step(5, 'turn_2', 'RECEIVED')).with(4, step(6, 'turn_1', 'COMPLETE'))
    expect(judge([record()], withEvents(overlapping), marks).disorder).not.toEqual([])
    const endedTwice = events.with(4, step(6, 'turn_1', 'COMPLETE'))
    expect(judge([record()], withEvents(endedTwice), marks).disorder).not.toEqual([])
  })

  test('an event that was missed, repeated, out of order, or never in the log', () => {
    const last = seen.at(-1) ?? { seq: 0, type: 'PipelineStepEvent', isPiece: false }
    for (const wrong of [
      seen.slice(0, -1),
      seen.filter(({ seq }) => seq !== 2),
      [...seen, last],
      [...seen.slice(0, -2), last, ...seen.slice(-2, -1)],
      [...seen, { ...last, seq: 8 }],
    ]) {
      expect(followed(wrong).gaps).not.toEqual([])
    }
  })

  test('nothing wrong with who has left before the checkpoint after the last turn', () => {
    const checkpoint = { seq: 1000, type: 'Checkpoint', turn_id: null, step: null, task_id: null, status: null }
    expect(judge([record()], withEvents([...events, checkpoint]), marks).gaps).toEqual([])
    expect(judge([record()], withEvents([{ ...checkpoint, seq: 0 }, ...events]), marks).gaps).not.toEqual([])
  })

  test('answers that no client should get', () => {
    expect(judge([record({ complaints: ['INTERNAL_SERVER_ERROR'] })], good, marks).complaints).toHaveLength(1)
  })
})
