/** Databases from before a turn had one row of facts keep what they know of who used what. */
import { expect, test } from 'vitest'
import { openBefore } from '../harness/older-database.ts'

const THIS = '20261122150100_one_row_of_facts_per_turn'

test('rows of one fact each become one row per turn', async () => {
  await using older = await openBefore(THIS)
  const { client } = older
  await client.query(`
    INSERT INTO sessions (id, source_kind, source_interactive) VALUES ('cli:a', 'cli', true);
    INSERT INTO messages (id, session_id, seq, role, content, trusted, status, client, created_at)
      SELECT 'msg_' || n, 'cli:a', n, 'USER', 'x', true, 'DONE', 'c', now() FROM generate_series(1, 2) n;
    INSERT INTO turns (id, session_id, seq, message_id, user_name, status, created_at)
      SELECT 'turn_' || n, 'cli:a', n, 'msg_' || n, 'u', 'DONE', now() FROM generate_series(1, 2) n;
    INSERT INTO facts (id, content, norm, source, created_at, updated_at)
      SELECT 'fact_' || n, 'f' || n, 'f' || n, 'MANUAL', now(), now() FROM generate_series(1, 3) n;
    INSERT INTO turn_facts (turn_id, fact_id, session_id)
      VALUES ('turn_1', 'fact_2', 'cli:a'), ('turn_1', 'fact_1', 'cli:a'), ('turn_2', 'fact_3', 'cli:a')`)
  expect(await older.migrate()).toContain(THIS)
  const { rows } = await client.query('SELECT * FROM turn_facts ORDER BY turn_id')
  expect(rows).toEqual([
    { turn_id: 'turn_1', session_id: 'cli:a', fact_ids: ['fact_1', 'fact_2'] },
    { turn_id: 'turn_2', session_id: 'cli:a', fact_ids: ['fact_3'] },
  ])
})
