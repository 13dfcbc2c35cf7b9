import { expect, test } from 'vitest'
import { isEnd } from './follow-turn.ts'
import type { ApprovalData, TurnData } from './turn-documents.ts'

const APPROVAL: ApprovalData = {
  id: 'appr_1',
  kind: 'TASK',
  status: 'PENDING',
  reason: 'a rule',
  expiresAt: '2026-01-01T00:00:00Z',
  task: { id: 'task_1', type: 'EXEC', detail: 'ls', tool: null, args: null },
}

function turn(status: string, approvals: readonly ApprovalData[] = []): TurnData {
  return {
    id: 'turn_1',
    status,
    failure: null,
    usage: { inputTokens: 0, outputTokens: 0, cachedTokens: 0 },
    joinedInto: null,
    message: { id: 'msg_1' },
    session: { id: 's', lastSeq: 9, approvals, activeTurn: null },
  }
}

test.each([
  ['TurnCompletedEvent', turn('DONE'), true],
  ['TurnCompletedEvent', turn('CANCELLED'), true],
  ['TurnCompletedEvent', turn('RUNNING'), false],
  // The turn was faster than who follows it: its outputs and texts are still to come.
  ['ApprovalEvent', turn('DONE'), false],
  ['TurnPausedEvent', turn('DONE'), false],
  ['ApprovalEvent', turn('AWAITING_APPROVAL', [APPROVAL]), true],
  ['ApprovalEvent', turn('AWAITING_APPROVAL'), false],
  ['TurnPausedEvent', turn('JOINED', [APPROVAL]), true],
  ['TurnCompletedEvent', turn('JOINED', [APPROVAL]), true],
] as const)('%s of a turn: %o', (__typename, now, ends) => {
  expect(isEnd({ __typename }, now)).toBe(ends)
})
