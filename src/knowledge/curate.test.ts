import { expect, test } from 'vitest'
import type { Evaluation } from '../agents/agent.ts'
import { GLOBAL_SCOPE } from '../core/knowledge/fact-scope.ts'
import { must } from '../platform/must.ts'
import { curate } from './curate.ts'
import type { ReplaceableFact } from './replaceable-fact.ts'

const at = new Date('2026-01-02T03:04:05.678Z')
const KNOWN = 'the sky is blue'
const REJECTED = 'the sky is green'
const FACTS: Record<string, ReplaceableFact> = {
  fact_old: { version: 3, content: 'It was so.', by: null, pinned: false, ...GLOBAL_SCOPE },
  fact_of_ada: { version: 1, content: 'It was so.', by: 'ada', pinned: false, ...GLOBAL_SCOPE },
  fact_pinned: { version: 1, content: 'It was so.', by: null, pinned: true, ...GLOBAL_SCOPE },
  fact_of_shop: { version: 1, content: 'It was so.', by: null, pinned: false, scope: 'PROJECT', scopeOf: 'shop' },
}
const evaluation = (learningId: string, verdict: object): Evaluation =>
  ({ learningId, reason: `reason of ${learningId}`, ...verdict }) as Evaluation
const promote = (id: string, fact: string): Evaluation => evaluation(id, { verdict: 'PROMOTE', fact })
const ask = (id: string, question: string): Evaluation => evaluation(id, { verdict: 'ASK', question })

const curated = (...evaluations: Evaluation[]) =>
  curate({
    evaluations,
    questions: [{ id: 'q_1', content: 'What colour is the sky?' }],
    compare: (norm) =>
      Promise.resolve({
        same: norm === KNOWN ? { kind: 'fact' as const, id: 'fact_1' } : null,
        rejected: norm === REJECTED ? { factId: 'fact_2', by: 'ada', at, isMerged: false, isElsewhere: false } : null,
      }),
    modeOf: (id) => (id === 'learn_auto' ? 'auto' : 'hold_suspicious'),
    contentOf: () => undefined,
    scope: GLOBAL_SCOPE,
    factOf: (id) => Promise.resolve(FACTS[id] ?? null),
    at,
  })

test('a verdict becomes a decision, with the text and its normal text', async () => {
  const [promoted, asked, discarded] = await curated(
    promote('learn_1', 'Water is wet.'),
    ask('learn_2', 'Which water?'),
    evaluation('learn_3', { verdict: 'DISCARD' }),
  )
  expect(promoted).toMatchObject({
    learningId: 'learn_1',
    status: 'PROMOTED',
    reason: 'reason of learn_1',
    at,
    question: null,
    fact: { content: 'Water is wet.', norm: 'water is wet' },
  })
  expect(must(promoted, 'there').fact?.id).toMatch(/^fact_/)
  expect(asked).toMatchObject({
    learningId: 'learn_2',
    status: 'ASKED',
    fact: null,
    question: { content: 'Which water?', norm: 'which water' },
  })
  expect(discarded).toEqual({
    learningId: 'learn_3',
    by: 'curator',
    status: 'DISCARDED',
    reason: 'reason of learn_3',
    at,
    fact: null,
    question: null,
    flags: [],
    repeatsFactId: null,
    repeatsLearningId: null,
    questionId: null,
    replaces: null,
    isRetry: false,
    changeId: expect.stringMatching(/^chg_/),
  })
})

test('a live fact is refused, with what it repeats', async () => {
  const [decision] = await curated(promote('learn_1', 'The sky is BLUE!'))
  expect(decision).toMatchObject({ status: 'REFUSED', repeatsFactId: 'fact_1', reason: 'It repeats the fact fact_1.' })
})

test('what is asked already becomes that question', async () => {
  const [decision] = await curated(ask('learn_1', 'What colour is the sky'))
  expect(decision).toMatchObject({ status: 'ASKED', questionId: 'q_1', question: null })
})

test('what a person has rejected waits for a person', async () => {
  const [decision] = await curated(promote('learn_1', 'The sky is green.'))
  expect(decision).toMatchObject({ status: 'PENDING', flags: ['REJECTED'], fact: null })
  expect(decision?.reason).toContain('ada took it back at 2026-01-02')
})

test.each([
  ['a secret', promote('learn_1', 'The password is hunter2x.'), /may hold a secret/],
  ['what is too long', promote('learn_1', 'long '.repeat(200)), /at most 500/],
  ['a question with a secret', ask('learn_1', 'Is the key [REDACTED] right?'), /may hold a secret/],
])('of %s nothing is made, and the learning waits for a person', async (_, one, reason) => {
  const [decision] = await curated(one)
  expect(decision).toMatchObject({ status: 'PENDING', flags: ['UNUSABLE'], fact: null, question: null })
  expect(decision?.reason).toMatch(reason)
})

test('of two that say the same the second is refused', async () => {
  const decisions = await curated(promote('learn_1', 'Water is wet.'), promote('learn_2', 'Water is wet'))
  expect(decisions.map(({ status }) => status)).toEqual(['PROMOTED', 'REFUSED'])
  expect(decisions[1]).toMatchObject({ repeatsLearningId: 'learn_1' })
})

test('what looks like an order waits for a person, unless the configuration leaves it to the curator', async () => {
  const order = 'Always run the migrations twice.'
  const [held] = await curated(promote('learn_1', order))
  expect(held).toMatchObject({
    status: 'PENDING',
    flags: ['ORDER'],
    reason: 'It has the form of an order.',
    fact: null,
  })
  const [left] = await curated(promote('learn_auto', order))
  expect(left).toMatchObject({ status: 'PROMOTED' })
})

test('what replaces a known fact does so once, and only what no person made or pinned', async () => {
  const replace = (id: string, factId: string, fact = `${id} is so now.`): Evaluation =>
    evaluation(id, { verdict: 'REPLACE', fact, factId })
  const [replaced, again, ofAda, pinned, ...rest] = await curated(
    replace('learn_1', 'fact_old'),
    replace('learn_2', 'fact_old'),
    replace('learn_3', 'fact_of_ada'),
    replace('learn_6', 'fact_pinned'),
    // It says something else by now, so the learning is judged anew.
    replace('learn_4', 'fact_changed'),
    evaluation('learn_5', { verdict: 'CONTRADICTS', question: 'Which of the two?', factId: 'fact_old' }),
  )
  expect(replaced).toMatchObject({ status: 'PROMOTED', replaces: { factId: 'fact_old', version: 3 } })
  const held = { status: 'PENDING', flags: ['REPLACES'], fact: null }
  expect(again).toMatchObject({ ...held, replaces: { factId: 'fact_old' } })
  expect(ofAda).toMatchObject({ ...held, reason: expect.stringContaining('which ada made') })
  expect(pinned).toMatchObject({ ...held, reason: expect.stringContaining('which is pinned') })
  expect(rest).toMatchObject([{ learningId: 'learn_5', status: 'ASKED', question: { factIds: ['fact_old'] } }])
})
