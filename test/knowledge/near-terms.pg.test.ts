/** Words of a message that no fact has: finding the terms that look like them costs little in a large memory, too. */
import { expect, test } from 'vitest'
import { findNearTerms } from '../../src/knowledge/near-terms.ts'
import { recordStatements } from '../contract/record-statements.ts'
import { createWorld } from '../intake/intake-world.ts'

const SYLLABLES = ['ba', 'cor', 'den', 'fi', 'gal', 'hum', 'jor', 'ka', 'lin', 'mo', 'nar', 'pet', 'ro', 'sul', 'tre']

/** 30 000 terms that sound like words: each three to five syllables, no two alike. */
function madeUp(): string[] {
  const terms = new Set<string>()
  for (let n = 0; terms.size < 30_000; n++) {
    let [rest, term] = [n * 7919 + 15 ** 2, '']
    for (; rest > 0; rest = Math.floor(rest / SYLLABLES.length)) term += SYLLABLES[rest % SYLLABLES.length] ?? ''
    terms.add(term)
  }
  return [...terms]
}

test('a word that is misspelt is found by reading a small part of what is known', async () => {
  await using world = await createWorld()
  const { database } = world.context
  await world.sql(`INSERT INTO fact_term_counts (term, scope, facts) SELECT unnest($1::text[]), 'g', 1`, madeUp())
  await world.sql(`INSERT INTO fact_term_counts (term, scope, facts) VALUES ('kubernetes', 'g', 3)`)
  await world.sql('ANALYZE fact_term_counts')
  const written = { text: 0, word: 0, term: 'kubernets', isWhole: true, facts: 0 }
  const [statement = ''] = await recordStatements(async () => {
    const found = await findNearTerms(database, [written], ['g'])
    expect(found).toMatchObject([{ written: 'kubernets', term: 'kubernetes', facts: 3 }])
  })
  const text = statement.replaceAll('$1', `'{kubernets}'`).replaceAll('$2', `'{g}'`)
  const [row] = await world.sql<{ 'QUERY PLAN': [{ Plan: { 'Shared Hit Blocks': number } }] }>(
    `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`,
  )
  const [size] = await world.sql<{ pages: number }>(
    `SELECT (pg_relation_size('fact_term_counts_near') / 8192)::int AS pages`,
  )
  const read = row?.['QUERY PLAN'][0].Plan['Shared Hit Blocks'] ?? Infinity
  expect(read).toBeLessThan((size?.pages ?? 0) / 3)
})
