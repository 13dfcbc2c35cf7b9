/** Databases from before words were kept by scope find the same facts, each by those whom it is shown. */
import { expect, test } from 'vitest'
import { openBefore } from '../harness/older-database.ts'

const THIS = '20261125100000_fact_terms_by_scope'

test('words and their counts are those of the scopes of their facts', async () => {
  await using older = await openBefore(THIS)
  const { client } = older
  await client.query(`
    INSERT INTO facts (id, content, norm, source, scope, scope_of, created_at, updated_at) VALUES
      ('fact_1', 'Piers rust.', '1', 'MANUAL', 'GLOBAL', '', now(), now()),
      ('fact_2', 'Piers rot.', '2', 'MANUAL', 'USER', 'bob', now(), now()),
      ('fact_3', 'Piers sink.', '3', 'MANUAL', 'USER', 'bob', now(), now())`)
  expect(await older.migrate()).toContain(THIS)
  const { rows } = await client.query(`SELECT scope, facts FROM fact_term_counts WHERE term = 'piers' ORDER BY scope`)
  expect(rows).toEqual([
    { scope: 'GLOBAL ', facts: 1 },
    { scope: 'USER bob', facts: 2 },
  ])
  await client.query(`UPDATE facts SET scope = 'GLOBAL', scope_of = '' WHERE id = 'fact_3'`)
  const now = await client.query(`SELECT scope, fact_id FROM fact_terms WHERE term = 'piers' ORDER BY fact_id`)
  expect(now.rows).toEqual([
    { scope: 'GLOBAL ', fact_id: 'fact_1' },
    { scope: 'USER bob', fact_id: 'fact_2' },
    { scope: 'GLOBAL ', fact_id: 'fact_3' },
  ])
})
