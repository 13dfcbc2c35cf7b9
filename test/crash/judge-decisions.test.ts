/** The judge of approvals and schedules: each broken promise must be found, and a kept one must not. */
import { describe, expect, test } from 'vitest'
import type { FinalApproval, FinalDecisions, FinalRun } from './final-decisions.ts'
import { judgeDecisions, type Done } from './judge-decisions.ts'

const approval = (n: number, status: string, more: Partial<FinalApproval> = {}): FinalApproval => ({
  id: `appr_${n}`,
  status,
  decided_by: status === 'APPROVED' || status === 'DENIED' ? 'ann' : null,
  task_status: status === 'APPROVED' ? 'DONE' : 'FAILED',
  events: 2,
  audit: ['PENDING', status],
  ...more,
})

const time = (seconds: number): Date => new Date(Date.parse('2026-11-21T12:00:00Z') + seconds * 1000)
const run = (n: number, more: Partial<FinalRun> = {}): FinalRun => ({
  id: `run_${n}`,
  schedule_id: 'sched_1',
  due_at: time(n * 10),
  manual: false,
  status: 'DONE',
  started_at: time(n * 10 + 1),
  finished_at: time(n * 10 + 5),
  message_id: `msg_${n}`,
  message_status: 'DONE',
  turn_status: 'DONE',
  ...more,
})
const skipped = { status: 'SKIPPED', message_id: null, message_status: null, turn_status: null }

const good: FinalDecisions = {
  approvals: [approval(1, 'APPROVED'), approval(2, 'DENIED'), approval(3, 'EXPIRED'), approval(4, 'CANCELLED')],
  runs: [run(1), run(2, { manual: true }), run(3, skipped)],
  schedules: [
    { id: 'sched_1', sessions: ['schedule:sched_1'], messages: ['msg_2', 'msg_1'], commands: ['DONE', 'INTERRUPTED'] },
  ],
}
const done: Done = {
  decisions: {
    accepted: [{ approvalId: 'appr_1', user: 'ann', status: 'APPROVED' }],
    tried: new Set(['appr_1', 'appr_2']),
  },
  firings: {
    schedules: [{ id: 'sched_1', name: 'one', mode: 'DEDICATED' }],
    due: [1, 3].map((n) => ({ scheduleId: 'sched_1', at: time(n * 10) })),
    triggersTried: new Map([['sched_1', 2]]),
    triggersAccepted: new Map([['sched_1', 1]]),
  },
  marks: ['one'],
}

const judgedApprovals = (approvals: readonly FinalApproval[], decisions: Partial<Done['decisions']> = {}) =>
  judgeDecisions({ ...done, decisions: { ...done.decisions, ...decisions } }, { ...good, approvals }).approvals
const judgedRuns = (final: Partial<FinalDecisions>, more: Partial<Done> = {}) =>
  judgeDecisions({ ...done, ...more }, { ...good, ...final }).schedules

test('a run in which every promise was kept', () => {
  expect(judgeDecisions(done, good)).toEqual({ approvals: [], schedules: [] })
})

describe('of approvals it finds', () => {
  test.each([
    ['one that still waits', approval(4, 'PENDING', { audit: ['PENDING'], events: 1 })],
    ['one settled twice', approval(3, 'EXPIRED', { events: 3 })],
    ['one that the audit tells otherwise', approval(3, 'EXPIRED', { audit: ['PENDING', 'DENIED', 'EXPIRED'] })],
    ['one that was told to be approved, and is not', approval(1, 'EXPIRED')],
    ['one that another user decided', approval(1, 'APPROVED', { decided_by: 'bob' })],
    ['one about which nobody decided', approval(9, 'APPROVED')],
    ['one that was denied and ran', approval(2, 'DENIED', { task_status: 'DONE' })],
  ])('%s', (_what, wrong) => {
    expect(judgedApprovals([wrong])).toHaveLength(1)
  })

  test('two decisions that were both said to stand', () => {
    const { accepted } = done.decisions
    const both = [...accepted, { approvalId: 'appr_1', user: 'ann', status: 'APPROVED' }]
    expect(judgedApprovals(good.approvals, { accepted: both })).toHaveLength(1)
  })
})

describe('of schedules it finds', () => {
  test('a time that was missed, or fired twice', () => {
    const due = [...done.firings.due, { scheduleId: 'sched_1', at: time(99) }]
    expect(judgedRuns({}, { firings: { ...done.firings, due } })).toHaveLength(1)
    expect(judgedRuns({ runs: [...good.runs, { ...run(3, skipped), id: 'run_4' }] })).toHaveLength(1)
  })

  test('runs that were set off more often than anybody asked for, or less often than was said', () => {
    const tried = new Map([['sched_1', 0]])
    expect(judgedRuns({}, { firings: { ...done.firings, triggersTried: tried } })).toHaveLength(1)
    const accepted = new Map([['sched_1', 2]])
    expect(judgedRuns({}, { firings: { ...done.firings, triggersAccepted: accepted } })).toHaveLength(1)
  })

  test('two runs at the same time', () => {
    expect(judgedRuns({ runs: good.runs.with(1, run(2, { manual: true, started_at: time(12) })) })).toHaveLength(1)
  })

  test('a run that did not end, or not as its turn did', () => {
    const open = { status: 'RUNNING', finished_at: null, message_status: 'PROCESSING', turn_status: 'RUNNING' }
    expect(judgedRuns({ runs: good.runs.with(1, run(2, { manual: true, ...open })) })).toHaveLength(1)
    expect(judgedRuns({ runs: good.runs.with(0, run(1, { turn_status: 'FAILED' })) })).toHaveLength(1)
  })

  test('a message that no run has sent, and a command that ran twice', () => {
    const [schedule] = good.schedules
    const more = { ...schedule, id: 'sched_1', sessions: [], commands: ['DONE'], messages: ['msg_1', 'msg_2', 'msg_9'] }
    expect(judgedRuns({ schedules: [more] })).toHaveLength(1)
    expect(judgedRuns({}, { marks: ['one', 'one', 'one'] })).toHaveLength(1)
    expect(judgedRuns({}, { marks: [] })).toHaveLength(1)
  })
})
