import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ProposedPlan, ProposedTask } from './plan.ts'
import { MAX_DETAIL_BYTES, MAX_EXPECT_BYTES, validatePlan } from './plan-rules.ts'

const exec: ProposedTask = { type: 'EXEC', detail: 'echo hi', skill: null, args: null, expect: 'it prints hi' }
const msg: ProposedTask = { type: 'MSG', detail: 'Say hi.', skill: null, args: null, expect: null }
const plan = (...tasks: ProposedTask[]): ProposedPlan => ({ goal: 'Say hi', tasks, secrets: [], answers: [] })
const limits = { maxTasks: 3 }

describe('validatePlan', () => {
  test.each([
    ['a single message', plan(msg)],
    ['a command and a message', plan(exec, msg)],
    ['a message between commands', plan(exec, msg, msg)],
    ['as many tasks as allowed', plan(exec, exec, msg)],
    ['a detail as long as allowed', plan({ ...exec, detail: 'x'.repeat(MAX_DETAIL_BYTES) }, msg)],
  ])('accepts %s', (_, good) => {
    expect(validatePlan(good, limits)).toEqual([])
  })

  test.each<[string, ProposedPlan, string[]]>([
    [
      'no tasks',
      plan(),
      ['The plan has no tasks. It needs at least one; a plan that only answers has a single msg task.'],
    ],
    [
      'too many tasks',
      plan(exec, exec, exec, msg),
      ['The plan has 4 tasks; at most 3 are allowed. Join commands that belong together, or do less.'],
    ],
    [
      'a blank command',
      plan({ ...exec, detail: ' \n' }, msg),
      ['Task 1 (exec) has a blank detail. Its detail is the shell command to run.'],
    ],
    [
      'a blank message',
      plan({ ...msg, detail: '' }),
      ['Task 1 (msg) has a blank detail. Its detail says what to tell the user.'],
    ],
    [
      'a command without expect',
      plan(exec, { ...exec, expect: null }, msg),
      ['Task 2 (exec) has no expect. Say in a sentence what must hold for its result to be good.'],
    ],
    [
      'a command with a blank expect',
      plan({ ...exec, expect: '  ' }, msg),
      ['Task 1 (exec) has no expect. Say in a sentence what must hold for its result to be good.'],
    ],
    [
      'a message with expect',
      plan({ ...msg, expect: 'the user is happy' }),
      ['Task 1 (msg) has an expect. Messages are not reviewed: its expect must be null.'],
    ],
    [
      'an empty expect on a message, which is not null either',
      plan({ ...msg, expect: '' }),
      ['Task 1 (msg) has an expect. Messages are not reviewed: its expect must be null.'],
    ],
    [
      'a command at the end',
      plan(msg, exec),
      ['Task 2, the last one, is exec. The last task must be msg: it is how the user gets the answer.'],
    ],
    [
      'a command that is too long, counted in bytes',
      plan({ ...exec, detail: 'ä'.repeat(MAX_DETAIL_BYTES / 2 + 1) }, msg),
      [
        'The detail of task 1 (exec) is 32770 bytes long; at most 32768 are allowed. Split the command, or write a long file in several tasks.',
      ],
    ],
    [
      'an expect that is too long',
      plan({ ...exec, expect: 'x'.repeat(MAX_EXPECT_BYTES + 1) }, msg),
      ['The expect of task 1 (exec) is 4097 bytes long; at most 4096 are allowed. One sentence is enough.'],
    ],
    [
      'a goal that is too long',
      { ...plan(msg), goal: 'x'.repeat(5000) },
      ['The goal is 5000 bytes long; at most 4096 are allowed. One sentence is enough.'],
    ],
  ])('refuses %s', (_, bad, problems) => {
    expect(validatePlan(bad, limits)).toEqual(problems)
  })

  test('names every broken rule at once', () => {
    expect(validatePlan(plan({ ...exec, detail: '', expect: '' }), limits)).toHaveLength(3)
  })

  test('lists a bounded number of problems for a thousand wrong tasks', () => {
    const problems = validatePlan(plan(...Array.from({ length: 1000 }, () => ({ ...exec, detail: '' }))), limits)
    expect(problems).toHaveLength(21)
    expect(problems.at(-1)).toBe('982 more problems of the same kinds are not listed.')
  })

  const anyTask = fc.record({
    type: fc.constantFrom('EXEC' as const, 'MSG' as const),
    detail: fc.constantFrom('', ' ', 'echo hi'),
    expect: fc.constantFrom(null, '', 'good'),
  })

  test('a plan that follows the advice is accepted, whatever was wrong with it', () => {
    fc.assert(
      fc.property(fc.array(anyTask, { maxLength: 6 }), (tasks) => {
        const mended: ProposedTask[] = tasks.slice(0, limits.maxTasks - 1).map((task) => ({
          ...msg,
          type: task.type,
          detail: task.detail.trim() === '' ? 'true' : task.detail,
          expect: task.type === 'MSG' ? null : 'it succeeds',
        }))
        expect(validatePlan(plan(...mended, msg), limits)).toEqual([])
      }),
    )
  })
})
