/** The judge of what turns leave behind: each broken promise must be found, and a kept one must not. */
import { describe, expect, test } from 'vitest'
import type { FinalRecords } from './final-records.ts'
import { judgeRecords, type Posted, type RecordsVerdict } from './judge-records.ts'

const SESSION = 'cli:storm-1'
const NOTHING: RecordsVerdict = { deliveries: [], knowledge: [], files: [], audit: [] }

const delivery = (n: number, status = 'DELIVERED') => ({
  id: `dlv_${n}`,
  session_id: SESSION,
  task_id: `task_${n}`,
  content: `text ${n}`,
  status,
})
const post = (n: number) => ({ id: `dlv_${n}`, sessionId: SESSION, taskId: `task_${n}`, content: `text ${n}` })
const learning = (n: number, status = 'PROMOTED') => ({
  id: `learn_${n}`,
  turn_id: `turn_${n}`,
  content: `fact ${n}`,
  status,
  facts: status === 'PROMOTED' ? 1 : 0,
  questions: status === 'ASKED' ? 1 : 0,
})
const publication = { task_id: 'task_1', files: 1, whole: 1 }

const good: FinalRecords = {
  deliveries: [delivery(1), delivery(2, 'DEAD'), delivery(3)],
  texts: ['task_1', 'task_2', 'task_3'],
  turns: [
    { id: 'turn_1', message_id: 'msg_1', ran_through: true },
    { id: 'turn_2', message_id: 'msg_2', ran_through: false },
  ],
  learnings: [learning(1), learning(3, 'ASKED'), learning(4, 'DISCARDED')],
  lostLearnings: [],
  publications: [publication],
  unaudited: [],
  auditEntries: 9,
  auditProblem: null,
}
const posted: Posted = { posts: [post(1), post(1), post(2), post(3), post(1)], taken: new Set(['dlv_1', 'dlv_3']) }
const accepted = [1, 2].map((n) => ({
  id: `msg_${n}`,
  content: `run: true\nlearn: fact ${n}`,
  idempotencyKey: `key-${n}`,
}))

const judged = (records: Partial<FinalRecords>, more: Partial<Posted> = {}) =>
  judgeRecords(accepted, { ...posted, ...more }, { ...good, ...records })

test('a run in which every promise was kept, with attempts repeated and a turn that did not run through', () => {
  expect(judged({})).toEqual(NOTHING)
})

describe('finds', () => {
  test('a text without a delivery, or with two', () => {
    expect(judged({ texts: [...good.texts, 'task_4'] }).deliveries).toHaveLength(1)
    expect(
      judged({ deliveries: [...good.deliveries, { ...delivery(4), id: 'dlv_1b', task_id: 'task_1' }] }).deliveries,
    ).toContain('the text of task_1 has 2 deliveries')
  })

  test('a delivery that waits, or that nobody has taken', () => {
    expect(judged({ deliveries: [delivery(1), delivery(2, 'PENDING'), delivery(3)] }).deliveries).toHaveLength(1)
    expect(judged({}, { taken: new Set(['dlv_1']) }).deliveries).toHaveLength(1)
  })

  test('posts of what is not there, with something else in them, or out of order', () => {
    for (const posts of [
      [...posted.posts, { ...post(4), id: 'dlv_4' }],
      [...posted.posts, { ...post(1), content: 'text 2' }],
      [post(2), post(1), post(3)],
    ]) {
      expect(judged({}, { posts }).deliveries).not.toEqual([])
    }
  })

  test('a learning that is lost, was learned twice, or waits', () => {
    const [, ...others] = good.learnings
    expect(judged({ learnings: others }).knowledge).toHaveLength(1)
    expect(judged({ learnings: [learning(1), { ...learning(1), id: 'learn_1b' }, ...others] }).knowledge).toHaveLength(
      1,
    )
    expect(judged({ lostLearnings: ['learn_9'] }).knowledge).toHaveLength(1)
    expect(judged({ learnings: [{ ...learning(1), status: 'PENDING' }, ...others] }).knowledge).toHaveLength(1)
  })

  test('a learning that was promoted twice or for nothing, or asked about twice', () => {
    for (const wrong of [
      { ...learning(3), facts: 2 },
      { ...learning(3), facts: 0 },
      { ...learning(3, 'DISCARDED'), facts: 1 },
      { ...learning(3, 'ASKED'), questions: 2 },
    ]) {
      expect(judged({ learnings: [learning(1), wrong] }).knowledge).toHaveLength(1)
    }
  })

  test('a file that was not published, twice, or whose bytes are gone', () => {
    for (const wrong of [
      { files: 0, whole: 0 },
      { files: 2, whole: 2 },
      { files: 1, whole: 0 },
    ])
      expect(judged({ publications: [{ ...publication, ...wrong }] }).files).toHaveLength(1)
  })

  test('what the audit does not say, and a chain that does not hold', () => {
    expect(judged({ unaudited: ['task_1 …'], auditProblem: 'Seal 2 is missing' }).audit).toHaveLength(2)
  })
})
