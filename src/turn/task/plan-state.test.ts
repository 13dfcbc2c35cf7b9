import { describe, expect, test } from 'vitest'
import { hasFailed, NOT_BEGUN, planStateOf } from './plan-state.ts'
import type { StoredTask } from '../../store/turn/turn-history.ts'

const ADDRESSED = { skill: null, tool: null, args: null, expect: null, round: null, callId: null } as const
const CUT_OFF = 'The server stopped while this command ran: whether it took effect, and how far, is unknown.'

/** Of one task, for which it was given up. */
function failedBy(task: Pick<StoredTask, 'type' | 'status' | 'output' | 'stderr'>): boolean {
  const given = { ...NOT_BEGUN, ...ADDRESSED, id: 'task_1', index: 0, detail: 'a task', ...task }
  const plan = { id: 'plan_1', attempt: 1, goal: 'a goal', rights: null }
  const known = { summary: '', facts: [], pluginSections: [] }
  return hasFailed(planStateOf({ ...plan, tasks: [{ ...given, reviewVerdict: 'REPLAN' }] }, known, []))
}

describe('a plan that was given up', () => {
  test('has failed by a task that ended', () => {
    expect(failedBy({ type: 'EXEC', status: 'FAILED', output: '', stderr: 'no such file' })).toBe(true)
  })

  test('has not failed by what was cut off with its process', () => {
    for (const type of ['EXEC', 'SKILL', 'TOOL'] as const)
      expect(failedBy({ type, status: 'INTERRUPTED', output: '', stderr: CUT_OFF })).toBe(false)
  })

  test('has failed by a tool that gave no answer, whatever it says itself', () => {
    for (const stderr of ['It took longer than it may.', `Its log:\n${CUT_OFF}`])
      expect(failedBy({ type: 'TOOL', status: 'INTERRUPTED', output: null, stderr })).toBe(true)
  })
})
