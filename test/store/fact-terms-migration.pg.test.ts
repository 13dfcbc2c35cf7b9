/**
 * Databases from before words were kept by scope find the same facts, each by those whom it is shown; those from before
 * Korean words were found by their letters find them, too, and those from before "İ" was an "i".
 */
import { expect, test } from 'vitest'
import { openBefore } from '../harness/older-database.ts'

const THIS = '20261125100000_fact_terms_by_scope'
const HANGUL = '20261130131500_hangul_terms'
const FOLDED = '20261130200000_folded_searches'

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

test('facts in Korean have the terms and counts that the same facts would have now', async () => {
  await using older = await openBefore(HANGUL)
  const { client } = older
  await client.query(`
    INSERT INTO facts (id, content, norm, source, scope, scope_of, created_at, updated_at, invalidated_at) VALUES
      ('fact_1', '주차장은 북문 옆에 있다.', '1', 'MANUAL', 'GLOBAL', '', now(), now(), NULL),
      ('fact_2', 'The 주차장 opens at six.', '2', 'MANUAL', 'USER', 'bob', now(), now(), NULL),
      ('fact_3', '주차장은 닫혔다.', '3', 'MANUAL', 'GLOBAL', '', now(), now(), now()),
      ('fact_4', 'The pier opens at six.', '4', 'MANUAL', 'GLOBAL', '', now(), now(), NULL)`)
  const terms = `SELECT fact_id, term, scope FROM fact_terms ORDER BY fact_id, term`
  const before = await client.query(terms)
  expect(await older.migrate()).toContain(HANGUL)
  const after = await client.query(terms)
  expect(after.rows).not.toEqual(before.rows)
  const asNew = await client.query(`
    SELECT DISTINCT f.id AS fact_id, s.term, f.scope || ' ' || f.scope_of AS scope FROM facts f
      CROSS JOIN LATERAL (SELECT '' AS term UNION ALL SELECT term FROM search_terms(f.content)) s
    WHERE f.invalidated_at IS NULL ORDER BY 1, 2`)
  expect(after.rows).toEqual(asNew.rows)
  const kept = await client.query(`
    SELECT term, scope, sum(facts)::int AS facts FROM (
      SELECT term, scope, facts FROM fact_term_counts UNION ALL SELECT term, scope, facts FROM fact_term_changes) c
    GROUP BY 1, 2 HAVING sum(facts) <> 0 ORDER BY 1, 2`)
  const counted = await client.query(
    `SELECT term, scope, count(*)::int AS facts FROM fact_terms GROUP BY 1, 2 ORDER BY 1, 2`,
  )
  expect(kept.rows).toEqual(counted.rows)
})

test('titles and facts of before are found in any script; of two facts that are the same now, both stay', async () => {
  await using older = await openBefore(FOLDED)
  const { client } = older
  await client.query(`
    INSERT INTO sessions (id, source_kind, source_interactive, source_type, description) VALUES
      ('cli:1', 'cli', true, 'DIRECT', 'İKİ SUNUCU'), ('cli:2', 'cli', true, 'DIRECT', 'Plain')`)
  await client.query(`
    INSERT INTO facts (id, content, norm, source, scope, scope_of, created_at, updated_at) VALUES
      ('fact_1', 'İki', 'i\u0307ki', 'MANUAL', 'GLOBAL', '', now(), now()),
      ('fact_2', 'İzmir', 'i\u0307zmir', 'MANUAL', 'GLOBAL', '', now(), now()),
      ('fact_3', 'izmir', 'izmir', 'MANUAL', 'GLOBAL', '', now(), now())`)
  expect(await older.migrate()).toContain(FOLDED)
  const titles = await client.query('SELECT description FROM session_descriptions ORDER BY session_id')
  expect(titles.rows).toEqual([{ description: 'iki sunucu' }, { description: 'plain' }])
  const facts = await client.query('SELECT norm FROM facts ORDER BY id')
  expect(facts.rows).toEqual([{ norm: 'iki' }, { norm: 'i\u0307zmir' }, { norm: 'izmir' }])
})
