import { expect, test } from 'vitest'
import type { Evaluation } from '../agents/agent.ts'
import { must } from '../platform/must.ts'
import { curate } from './curate.ts'

const at = new Date('2026-01-02T03:04:05.678Z')
const KNOWN = 'the sky is blue'
const evaluation = (learningId: string, verdict: object): Evaluation =>
  ({ learningId, reason: `reason of ${learningId}`, ...verdict }) as Evaluation
const promote = (id: string, fact: string): Evaluation => evaluation(id, { verdict: 'PROMOTE', fact })
const ask = (id: string, question: string): Evaluation => evaluation(id, { verdict: 'ASK', question })

const curated = (...evaluations: Evaluation[]) =>
  curate({
    evaluations,
    questions: [{ id: 'q_1', content: 'What colour is the sky?' }],
    findFact: (norm) => Promise.resolve(norm === KNOWN ? 'fact_1' : null),
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
    status: 'DISCARDED',
    reason: 'reason of learn_3',
    at,
    fact: null,
    question: null,
  })
})

test.each([
  ['a live fact', promote('learn_1', 'The sky is BLUE!'), 'It repeats the fact fact_1.'],
  ['an open question', ask('learn_1', 'What colour is the sky'), 'It is asked already.'],
  ['a secret', promote('learn_1', 'The password is hunter2x.'), /may hold a secret/],
  ['what is too long', promote('learn_1', 'long '.repeat(200)), /at most 500/],
])('discarded: %s', async (_, one, reason) => {
  const [decision] = await curated(one)
  expect(decision).toMatchObject({ status: 'DISCARDED', fact: null, question: null })
  expect(decision?.reason).toMatch(reason)
})

test('of two that say the same the second is discarded', async () => {
  const decisions = await curated(promote('learn_1', 'Water is wet.'), promote('learn_2', 'Water is wet'))
  expect(decisions.map(({ status }) => status)).toEqual(['PROMOTED', 'DISCARDED'])
})
