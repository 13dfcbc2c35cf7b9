/** Databases from before facts had numbers and reviews: both are given to what is there, in the order of the ids. */
import { expect, test } from 'vitest'
import { openBefore } from '../harness/older-database.ts'

const REVIEWS = '20261125090000_reviewed_facts'
const NUMBERS = '20261125110000_short_numbers'

test('facts are numbered by age and reviewed by the people who made them; words stay as they are', async () => {
  await using older = await openBefore(REVIEWS)
  const { client } = older
  await client.query(`
    INSERT INTO facts (id, content, norm, source, created_at, updated_at)
      SELECT 'fact_' || n, 'fact of ' || n, 'f' || n, 'CURATOR', now(), now() FROM unnest(ARRAY[3, 1, 2]) n;
    INSERT INTO fact_versions (fact_id, version, content, change, changed_by, at) VALUES
      ('fact_1', 1, 'x', 'CREATED', 'curator', now()), ('fact_2', 1, 'x', 'CREATED', 'curator', now()),
      ('fact_2', 2, 'x', 'EDITED', 'ada', now()), ('fact_3', 1, 'x', 'CREATED', 'ada', now()),
      ('fact_3', 2, 'x', 'CONSOLIDATED', 'summarizer', now())`)
  const terms = 'SELECT term, fact_id FROM fact_terms ORDER BY term, fact_id'
  const { rows: before } = await client.query(terms)
  expect(before.length).toBeGreaterThan(5)
  expect(await older.migrate()).toEqual(expect.arrayContaining([REVIEWS, NUMBERS]))

  await client.query(`INSERT INTO facts (id, content, norm, source, created_at, updated_at)
    VALUES ('fact_0', 'late', 'late', 'MANUAL', now(), now())`)
  const { rows } = await client.query('SELECT id, number, reviewed_by FROM facts ORDER BY number')
  expect(rows).toEqual([
    { id: 'fact_1', number: 1, reviewed_by: null },
    { id: 'fact_2', number: 2, reviewed_by: 'ada' },
    { id: 'fact_3', number: 3, reviewed_by: null },
    { id: 'fact_0', number: 4, reviewed_by: null },
  ])
  await client.query(`DELETE FROM facts WHERE id = 'fact_0'`)
  expect((await client.query(terms)).rows).toEqual(before)
})
