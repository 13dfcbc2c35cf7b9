/** Databases from before there were quotas: what is there already counts, and for whom. */
import { expect, test } from 'vitest'
import { openBefore } from '../harness/older-database.ts'

const THIS = '20261122221000_quotas'

test('sessions count for who opened them, published files for whose turn it was, and what was imported for nobody', async () => {
  await using older = await openBefore(THIS)
  const { client } = older
  await client.query(`
    INSERT INTO sessions (id, source_kind, source_interactive, connector, opened_by) VALUES
      ('@anna:1', 'web', true, 'anna-phone', '@anna'), ('@anna:2', 'web', true, 'anna-desk', '@anna'),
      ('old', 'web', true, 'chat', NULL), ('moved', 'web', true, 'chat', ':import'), ('nobody', 'web', true, NULL, NULL);
    INSERT INTO messages (id, session_id, seq, role, content, trusted, status, client, created_at)
      VALUES ('msg_1', 'old', 1, 'USER', 'x', true, 'DONE', 'c', now());
    INSERT INTO turns (id, session_id, seq, message_id, user_name, status, created_at)
      VALUES ('turn_1', 'old', 1, 'msg_1', 'ben', 'DONE', now());
    INSERT INTO plans (id, session_id, turn_id, attempt, goal, created_at) VALUES ('plan_1', 'old', 'turn_1', 1, 'g', now());
    INSERT INTO tasks (id, session_id, turn_id, plan_id, index, type, status, detail)
      VALUES ('task_1', 'old', 'turn_1', 'plan_1', 0, 'EXEC', 'DONE', 'true');
    INSERT INTO published_files (id, session_id, task_id, name, size, content_type, created_at)
      VALUES ('pub_1', 'old', 'task_1', 'a', 7, 'text/plain', now())`)
  expect(await older.migrate()).toContain(THIS)
  const { rows: opened } = await client.query('SELECT opener, session_id FROM opened_sessions ORDER BY 1, 2')
  expect(opened.map(({ opener, session_id: id }) => `${opener} ${id}`)).toEqual([
    '@anna @anna:1',
    '@anna @anna:2',
    'chat old',
  ])
  const { rows: files } = await client.query('SELECT user_name, size::int FROM published_files')
  expect(files).toEqual([{ user_name: 'ben', size: 7 }])

  await client.query(`DELETE FROM sessions WHERE id = '@anna:1'`)
  const { rows: left } = await client.query(`SELECT session_id FROM opened_sessions WHERE opener = '@anna'`)
  expect(left).toEqual([{ session_id: '@anna:2' }])
})
