/** The session in which a question of all sessions was put to who answers it is deleted at that moment. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { TO_JUDGE } from '../../src/knowledge/learnings/enter-learning.ts'
import { storeSettledQuestion } from '../../src/store/knowledge/settle-question.ts'
import { createWorld, type World } from '../intake/intake-world.ts'

let world: World
beforeEach(async () => {
  world = await createWorld()
})
afterEach(() => world[Symbol.asyncDispose]())

async function settle(factIds: readonly string[]) {
  await world.sql(
    `INSERT INTO questions (id, content, norm, source, fact_ids, created_at)
     VALUES ('question_1', 'Is it?', 'is it', 'ADMIN', $1, now())`,
    factIds,
  )
  const editor = { userName: 'alice', tokenName: 'alice', changeId: 'chg_1', at: new Date() }
  const learned = { content: 'Is it? Yes.', norm: 'is it yes', entry: TO_JUDGE }
  const given = { id: 'question_1', answer: 'Yes.', outcome: null, text: null, learned } as const
  return storeSettledQuestion(world.context.database, editor, { ...given, sessionId: 'cli:deleted' })
}

test('the answer settles the question, and is learned in no session', async () => {
  expect(await settle([])).toMatchObject({ kind: 'QuestionChanged', questionId: 'question_1' })
  expect(await world.sql('SELECT status, answer FROM questions')).toEqual([{ status: 'RESOLVED', answer: 'Yes.' }])
  expect(await world.sql('SELECT id FROM learnings')).toEqual([])
})

test('of facts it must say what becomes of them, as an answer without a session', async () => {
  expect(await settle(['fact_1'])).toMatchObject({ kind: 'InvalidInput', issues: [{ path: ['outcome'] }] })
  expect(await world.sql('SELECT status FROM questions')).toEqual([{ status: 'OPEN' }])
})
