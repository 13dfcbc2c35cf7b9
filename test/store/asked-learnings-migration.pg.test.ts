/** Learnings of older databases that wait for an answer that was given, or whose question is gone, wait no longer. */
import { expect, test } from 'vitest'
import { openBefore } from '../harness/older-database.ts'

const THIS = '20261128170000_answered_learnings'

test('what waits for a question that is not open is judged anew, and the rest is left', async () => {
  await using older = await openBefore(THIS)
  const { client } = older
  await client.query(`
    INSERT INTO sessions (id, source_kind, source_interactive)
      SELECT 'cli:' || n, 'cli', true FROM unnest('{given,person,gone,open}'::text[]) n;
    INSERT INTO questions (id, content, norm, source, status, created_at)
      SELECT 'q_' || n, 'x', 'x', 'CURATOR', CASE n WHEN 'open' THEN 'OPEN' ELSE 'RESOLVED' END::question_status, now()
      FROM unnest('{given,person,open}'::text[]) n;
    INSERT INTO learnings (id, session_id, content, norm, status, question_id, decided_by, created_at)
      SELECT 'l_' || n, 'cli:' || n, 'x', 'x', 'ASKED', CASE WHEN n <> 'gone' THEN 'q_' || n END,
        CASE n WHEN 'person' THEN 'ada' ELSE 'curator' END, now()
      FROM unnest('{given,person,gone,open}'::text[]) n`)
  expect(await older.migrate()).toContain(THIS)
  const { rows } = await client.query('SELECT id, status, held, question_id, decided_by FROM learnings ORDER BY id')
  const undecided = { status: 'PENDING', question_id: null, decided_by: null }
  expect(rows).toEqual([
    { id: 'l_given', held: false, ...undecided },
    { id: 'l_gone', held: true, ...undecided },
    { id: 'l_open', held: false, status: 'ASKED', question_id: 'q_open', decided_by: 'curator' },
    { id: 'l_person', held: true, ...undecided },
  ])
  expect((await client.query('SELECT session_id FROM curation_jobs')).rows).toEqual([{ session_id: 'cli:given' }])

  // From then on so do those that no statement of the answer has seen.
  await client.query(`UPDATE questions SET status = 'RESOLVED' WHERE id = 'q_open'`)
  const { rows: last } = await client.query(`SELECT status, held FROM learnings WHERE id = 'l_open'`)
  expect(last).toEqual([{ status: 'PENDING', held: false }])
})
