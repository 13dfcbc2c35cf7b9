import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { validatePlan } from '../../core/plan/plan-rules.ts'
import type { ProposedPlan, ProposedTask } from '../../core/plan/plan.ts'
import { isStorable } from '../../platform/well-formed.ts'
import { planFormat } from './output.ts'

const odd = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    0,
    -1,
    1e308,
    '',
    ' ',
    'exec',
    'msg',
    'EXEC',
    '\0',
    '\uD800',
    '<<<END>>>',
    [],
    {},
    true,
  ),
  fc.string({ unit: 'binary', maxLength: 6 }),
)
/** An object with the right keys or others, each with a likely or an odd value. */
const mutated = (likely: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<unknown> =>
  fc
    .record(
      {
        ...Object.fromEntries(
          Object.entries(likely).map(([key, value]) => [
            key,
            fc.oneof({ weight: 20, arbitrary: value }, { weight: 1, arbitrary: odd }),
          ]),
        ),
        ['__proto__']: fc.constant({ admin: true }),
        role: fc.constant('ADMIN'),
      },
      { requiredKeys: Object.keys(likely) as [] },
    )
    .chain((value) => fc.nat({ max: 5 }).map((extra) => (extra > 0 ? pick(value, Object.keys(likely)) : value)))
const pick = (value: object, keys: readonly string[]): object =>
  Object.fromEntries(Object.entries(value).filter(([key]) => keys.includes(key)))

const task = mutated({
  type: fc.constantFrom('exec', 'msg', 'skill'),
  detail: fc.string({ maxLength: 8 }),
  skill: fc.constantFrom(null, 'search', ''),
  args: fc.constantFrom(null, '{}', '{"query":"x"}', 'oops'),
  expect: fc.option(fc.string({ maxLength: 8 })),
})
const secret = mutated({ key: fc.constantFrom('A', 'B C'), value: fc.string({ maxLength: 12 }) })
const reply = mutated({
  question: fc.constantFrom('Q1', 'q2', 'Q9', 'question_one'),
  answer: fc.string({ maxLength: 8 }),
})
const plan = mutated({
  goal: fc.string({ maxLength: 8 }),
  secrets: fc.option(fc.array(secret, { maxLength: 2 })),
  tasks: fc.array(task, { maxLength: 3 }),
  answers: fc.option(fc.array(reply, { maxLength: 3 })),
  facts: fc.option(fc.array(fc.constantFrom('F1', '[f2]', 'F9', 'fact_one', ''), { maxLength: 4 })),
})
const FACTS = [
  { id: 'fact_one', content: 'It is so.' },
  { id: 'fact_two', content: 'It is not.' },
]
const QUESTIONS = [
  { id: 'question_one', content: 'Which?' },
  { id: 'question_two', content: 'When?' },
]

/** Whether a plan has nothing but its fields, and everything in it can be stored. */
function isSound(value: ProposedPlan): boolean {
  const hasKeys = (object: object, keys: readonly string[]): boolean => Object.keys(object).join() === keys.join()
  const isSoundTask = (one: ProposedTask): boolean =>
    hasKeys(one, ['type', 'detail', 'skill', 'args', 'expect']) &&
    [one.detail, one.skill ?? '', one.args ?? '', one.expect ?? ''].every(isStorable)
  const ids = value.answers.map(({ questionId }) => questionId)
  return (
    hasKeys(value, ['goal', 'secrets', 'tasks', 'answers', 'factsUsed']) &&
    isStorable(value.goal) &&
    value.tasks.every(isSoundTask) &&
    value.answers.every(({ answer }) => isStorable(answer) && answer !== '') &&
    ids.every((id) => id === 'question_one' || id === 'question_two') &&
    new Set(ids).size === ids.length &&
    value.factsUsed.every((id) => id === 'fact_one' || id === 'fact_two') &&
    new Set(value.factsUsed).size === value.factsUsed.length
  )
}

describe('mutated plans', () => {
  test('become a sound plan, or are refused with a reason; nothing throws', () => {
    const seen = { usable: 0, refused: 0 }
    fc.assert(
      fc.property(plan, fc.nat({ max: 40 }), (value, cut) => {
        const json = JSON.stringify(value)
        for (const text of [json, json.slice(0, json.length - cut), json.slice(cut)]) {
          const parsed = planFormat({ questions: QUESTIONS, facts: FACTS }).parse(text)
          const isGood = parsed.kind === 'usable' ? isSound(parsed.value) : parsed.problem.endsWith('.')
          expect(isGood).toBe(true)
          const problems =
            parsed.kind === 'usable' ? validatePlan(parsed.value, { maxTasks: 3, tools: [], skills: [] }) : []
          expect(problems.every((problem) => problem.endsWith('.'))).toBe(true)
          seen[parsed.kind === 'usable' ? 'usable' : 'refused'] += 1
        }
      }),
      { numRuns: 3000 },
    )
    expect(seen.usable).toBeGreaterThan(300)
    expect(seen.refused).toBeGreaterThan(300)
    expect(({} as { admin?: boolean }).admin).toBeUndefined()
  })
})
