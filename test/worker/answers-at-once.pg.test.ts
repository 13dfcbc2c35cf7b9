/** A question of all sessions may be settled by a turn and by an admin at once: neither may end in a deadlock. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { sendMessage } from '../../src/intake/message/send-message.ts'
import { must } from '../../src/platform/must.ts'
import { storeSettledQuestion } from '../../src/store/knowledge/settle-question.ts'
import { commitTurn } from '../../src/store/turn/turn-commit.ts'
import { createWorld, type World } from '../intake/intake-world.ts'

const at = new Date('2026-01-02T03:04:05.678Z')
const QUESTIONS = ['question_1', 'question_2'] as const
const editor = { userName: 'alice', tokenName: 'alice', changeId: 'chg_1', at }
const WAITING = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`

let world: World
beforeEach(async () => {
  world = await createWorld()
})
afterEach(() => world[Symbol.asyncDispose]())

/** Two questions of all sessions, each made of a learning of another session. */
async function ask(): Promise<void> {
  await sendMessage(world.context, world.as('alice'), { sessionId: 'cli:taught', content: 'hello' })
  for (const id of QUESTIONS) {
    await world.sql(
      `INSERT INTO questions (id, content, norm, source, created_at) VALUES ($1, $1, $1, 'ADMIN', now())`,
      id,
    )
    await world.sql(
      `INSERT INTO learnings (id, session_id, content, norm, status, question_id, created_at)
       VALUES ('learning of ' || $1, 'cli:taught', $1, $1, 'ASKED', $1, now())`,
      id,
    )
  }
}

/** A turn of this session runs; returns its commit of answers to these questions, in this order. */
async function turnIn(sessionId: string) {
  await sendMessage(world.context, world.as('alice'), { sessionId, content: 'hello' })
  const { turn } = must(await world.begin(sessionId), 'a turn')
  const [row] = await world.sql<{ epoch: number }>('SELECT epoch FROM sessions WHERE id = $1', sessionId)
  const lease = { sessionId, node: 1, epoch: must(row, 'the session').epoch }
  const of = (questionId: string) => ({ questionId, answer: sessionId, byAdmin: true, learningIds: [], learning: null })
  return (questionIds: readonly string[]) => {
    const answers = questionIds.map((id) => ({ ...of(id), changeId: 'chg_2', at }))
    return commitTurn(world.context.database, { lease, turn }, { events: [], answers })
  }
}

/** All of them come to wait for the learning of the first question, in this order. */
async function queue(...works: readonly (() => Promise<unknown>)[]): Promise<unknown[]> {
  const { database } = world.context
  const started = await database.transaction(async (first) => {
    await first.query({ name: '', text: 'SELECT FROM learnings WHERE question_id = $1 FOR UPDATE' }, [QUESTIONS[0]])
    const running: Promise<unknown>[] = []
    for (const work of works) {
      running.push(work())
      await expect.poll(() => world.sql(WAITING), { interval: 10 }).toHaveLength(running.length)
    }
    return { running }
  })
  return Promise.all(started.running)
}

const settled = () => world.sql('SELECT id, status, resolved_by, answer FROM questions ORDER BY id')

test('by an admin, then by a turn', async () => {
  await ask()
  const answer = await turnIn('cli:answers')
  const settlement = {
    id: QUESTIONS[0],
    answer: 'No.',
    outcome: 'FACTS',
    text: null,
    learned: null,
    sessionId: null,
  } as const
  const [byAdmin] = await queue(
    () => storeSettledQuestion(world.context.database, editor, settlement),
    () => answer([QUESTIONS[0]]),
  )
  expect(byAdmin).toMatchObject({ kind: 'QuestionChanged' })
  expect(await settled()).toMatchObject([{ status: 'RESOLVED', answer: 'No.' }, { status: 'OPEN' }])
  expect(await world.sql('SELECT status FROM learnings ORDER BY id')).toEqual([
    { status: 'DISCARDED' },
    { status: 'ASKED' },
  ])
})
