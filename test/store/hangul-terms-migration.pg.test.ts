/** Facts in Korean from before its words were found by their letters are found like new ones, and counted once. */
import { expect, test } from 'vitest'
import { openBefore } from '../harness/older-database.ts'

const THIS = '20261130131500_hangul_terms'

test('terms and their counts are those that the same facts would have now', async () => {
  await using older = await openBefore(THIS)
  const { client } = older
  await client.query(`
    INSERT INTO facts (id, content, norm, source, scope, scope_of, created_at, updated_at, invalidated_at) VALUES
      ('fact_1', '주차장은 북문 옆에 있다.', '1', 'MANUAL', 'GLOBAL', '', now(), now(), NULL),
      ('fact_2', 'The 주차장 opens at six.', '2', 'MANUAL', 'USER', 'bob', now(), now(), NULL),
      ('fact_3', '주차장은 닫혔다.', '3', 'MANUAL', 'GLOBAL', '', now(), now(), now()),
      ('fact_4', 'The pier opens at six.', '4', 'MANUAL', 'GLOBAL', '', now(), now(), NULL)`)
  const terms = `SELECT fact_id, term, scope FROM fact_terms ORDER BY fact_id, term`
  const before = await client.query(terms)
  expect(await older.migrate()).toContain(THIS)
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
