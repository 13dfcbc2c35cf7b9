import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { validatePlan } from '../../core/plan/plan-rules.ts'
import type { ProposedAnswer, ProposedPlan, ProposedTask } from '../../core/plan/plan.ts'
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
const outcome = mutated({
  verdict: fc.constantFrom('replace', 'keep'),
  fact: fc.constantFrom('F1', '[f3]', 'F9', 'fact_one', ''),
  text: fc.oneof(fc.option(fc.string({ maxLength: 8 })), fc.constantFrom('x'.repeat(2001), ' \uD800')),
})
const reply = mutated({
  question: fc.constantFrom('Q1', 'q2', 'Q9', 'question_one'),
  answer: fc.string({ maxLength: 8 }),
  outcome: fc.option(outcome),
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
/** What the first question is about: a known fact, and one that stands only beside it. */
const ASKED = ['fact_one', 'fact_three'].map((id) => ({ questionId: 'question_one', id, content: 'So.' }))
const QUESTIONS = [
  { id: 'question_one', content: 'Which?' },
  { id: 'question_two', content: 'When?' },
]

/** Only of facts that the question is about, with a text that can be stored where one holds in their place. */
function isSoundOutcome({ questionId, outcome: said }: ProposedAnswer): boolean {
  if (said === null) return true
  const isAbout = ASKED.some((fact) => fact.id === said.factId && fact.questionId === questionId)
  const { text } = said
  if (said.verdict === 'KEEP') return isAbout && text === null
  return isAbout && text !== null && text.trim() !== '' && text.length <= 2000 && isStorable(text)
}

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
    value.answers.every(isSoundOutcome) &&
    ids.every((id) => id === 'question_one' || id === 'question_two') &&
    new Set(ids).size === ids.length &&
    value.factsUsed.every((id) => ['fact_one', 'fact_two', 'fact_three'].includes(id)) &&
    new Set(value.factsUsed).size === value.factsUsed.length
  )
}

/** The answers of a plan that gives these, read. */
function answersOf(answers: readonly object[], questionFacts = ASKED) {
  const content = { goal: 'g', secrets: null, tasks: [], answers, facts: ['F3'] }
  const parsed = planFormat({ questions: QUESTIONS, questionFacts, facts: FACTS }).parse(JSON.stringify(content))
  return parsed.kind === 'usable' ? parsed.value.answers : parsed.problem
}

describe('what follows from an answer', () => {
  const said = (of: object | string, question = 'Q1') => answersOf([{ question, answer: 'So.', outcome: of }])
  const settled = { questionId: 'question_one', answer: 'So.' }

  test('is read of a fact that the question is about', () => {
    expect(said({ verdict: 'replace', fact: 'F3', text: ' It is. ' })).toEqual([
      { ...settled, outcome: { verdict: 'REPLACE', factId: 'fact_three', text: 'It is.' } },
    ])
    expect(said({ verdict: 'keep', fact: '[f1]', text: 'No matter.' })).toEqual([
      { ...settled, outcome: { verdict: 'KEEP', factId: 'fact_one', text: null } },
    ])
  })

  test.each([
    ['of an unknown fact', { verdict: 'replace', fact: 'F9', text: 'It is.' }],
    ['of a fact that the question is not about', { verdict: 'keep', fact: 'F2', text: null }],
    ['of a fact by its id', { verdict: 'keep', fact: 'fact_one', text: null }],
    ['without a text', { verdict: 'replace', fact: 'F1', text: ' ' }],
    ['with a text that is too long', { verdict: 'replace', fact: 'F1', text: 'x'.repeat(2001) }],
    ['with a verdict that there is none of', { verdict: 'delete', fact: 'F1', text: null }],
    ['with a field too many', { verdict: 'keep', fact: 'F1', text: null, role: 'ADMIN' }],
    ['that is a text', 'replace'],
  ])('%s counts for nothing, and the answer does', (_what, of) => {
    expect(said(of)).toEqual([{ ...settled, outcome: null }])
  })

  test('of another question, or of none, counts for nothing', () => {
    expect(said({ verdict: 'keep', fact: 'F1', text: null }, 'Q2')).toMatchObject([{ outcome: null }])
    const [known] = [{ verdict: 'keep', fact: 'F1', text: null }]
    expect(answersOf([{ question: 'Q1', answer: ' ', outcome: known }])).toEqual([])
    expect(answersOf([{ question: 'Q9', answer: 'So.', outcome: known }])).toEqual([])
  })

  test('is asked for only where a question is about facts', () => {
    const given = { question: 'Q1', answer: 'So.', outcome: { verdict: 'keep', fact: 'F1', text: null } }
    expect(answersOf([given], [])).toEqual([{ ...settled, outcome: null }])
    const { schema } = planFormat({ questions: QUESTIONS, questionFacts: [], facts: FACTS })
    expect(JSON.stringify(schema)).not.toContain('outcome')
  })
})

describe('mutated plans', () => {
  test('become a sound plan, or are refused with a reason; nothing throws', () => {
    const seen = { usable: 0, refused: 0 }
    fc.assert(
      fc.property(plan, fc.nat({ max: 40 }), (value, cut) => {
        const json = JSON.stringify(value)
        for (const text of [json, json.slice(0, json.length - cut), json.slice(cut)]) {
          const parsed = planFormat({ questions: QUESTIONS, questionFacts: ASKED, facts: FACTS }).parse(text)
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

test('arguments that are written as an object are those that a text would hold', () => {
  const one = { type: 'tool', detail: 'Searches.', skill: 'web__search', args: { query: 'x' }, expect: 'It finds.' }
  const content = { goal: 'g', secrets: null, tasks: [one], answers: null, facts: null }
  const parsed = planFormat({ questions: [], questionFacts: [], facts: [] }).parse(JSON.stringify(content))
  expect(parsed).toMatchObject({ kind: 'usable', value: { tasks: [{ args: '{"query":"x"}' }] } })
})
