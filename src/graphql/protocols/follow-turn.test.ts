import { expect, test } from 'vitest'
import { isEnd } from './follow-turn.ts'
import type { ApprovalData, TurnData } from './turn-documents.ts'

const APPROVAL: ApprovalData = {
  id: 'appr_1',
  kind: 'TASK',
  status: 'PENDING',
  reason: 'a rule',
  expiresAt: '2026-01-01T00:00:00Z',
  viewerCan: { decide: true },
  task: { id: 'task_1', type: 'EXEC', detail: 'ls', skill: null, tool: null, args: null, plan: { tasks: [] } },
}

type Refusals = TurnData['session']['refused']

function turn(status: string, approvals: readonly ApprovalData[] = [], refused: Refusals = []): TurnData {
  return {
    id: 'turn_1',
    status,
    failure: null,
    pausedReason: null,
    lastSeq: null,
    usage: { inputTokens: 0, outputTokens: 0, cachedTokens: 0 },
    joinedInto: null,
    message: { id: 'msg_1' },
    session: { id: 's', approvals, refused, asked: { edges: [{ node: { seq: 7 } }] } },
  }
}

function denied(status: string): Refusals[number] {
  return { task: { status } }
}

test.each([
  [{ __typename: 'TurnCompletedEvent', seq: 9 }, turn('DONE'), true],
  [{ __typename: 'TurnCompletedEvent', seq: 9 }, turn('CANCELLED'), true],
  [{ __typename: 'TurnCompletedEvent', seq: 9 }, turn('RUNNING'), false],
  // The turn was faster than who follows it: its outputs and texts are still to come.
  [{ __typename: 'ApprovalEvent', seq: 7 }, turn('DONE'), false],
  [{ __typename: 'TurnPausedEvent', seq: 7 }, turn('DONE'), false],
  [{ __typename: 'ApprovalEvent', seq: 7 }, turn('AWAITING_APPROVAL', [APPROVAL]), true],
  [{ __typename: 'ApprovalEvent', seq: 7 }, turn('AWAITING_APPROVAL'), false],
  // It waits once more, for what stands further on in the log.
  [{ __typename: 'TurnPausedEvent', seq: 4 }, turn('AWAITING_APPROVAL', [APPROVAL]), false],
  [{ __typename: 'TurnPausedEvent', seq: 7 }, turn('JOINED', [APPROVAL]), true],
  // One of two was denied, which the turn has not taken up yet.
  [
    { __typename: 'ApprovalEvent', seq: 7 },
    turn('AWAITING_APPROVAL', [APPROVAL], [denied('AWAITING_APPROVAL')]),
    false,
  ],
  [{ __typename: 'TurnPausedEvent', seq: 7 }, turn('AWAITING_APPROVAL', [APPROVAL], [denied('FAILED')]), true],
  [{ __typename: 'TurnCompletedEvent', seq: 9 }, turn('JOINED', [APPROVAL]), true],
] as const)('%o of a turn: %o', (event, now, ends) => {
  expect(isEnd({ turnId: now.id, ...event }, now)).toBe(ends)
})

test('the end of the turn that took its message along is its own only where the message was answered by that', () => {
  const end = { __typename: 'TurnCompletedEvent', turnId: 'turn_0', seq: 9 } as const
  expect(isEnd(end, { ...turn('DONE'), joinedInto: { id: 'turn_0' } })).toBe(true)
  // That one failed, the message waited again, and its own turn has ended by now.
  expect(isEnd(end, turn('DONE'))).toBe(false)
})
