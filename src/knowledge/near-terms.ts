/** Terms that facts have, in place of words that none has: misspelt ones, and parts of longer ones. */
import type { Reach } from '../core/knowledge/fact-scope.ts'
import type { Database } from '../store/database.ts'
import type { NearTerm, SaidTerm } from './weigh-terms.ts'

/** A shorter word is near to too many. */
const MIN_CHARS = 4
const MAX_WORDS = 8
const MAX_NEAR = 3
const MIN_SIMILARITY = 0.35

/** SQL of how many facts of the scopes $2 have a term. */
export function countOfTerm(term: string): string {
  return `(
      coalesce((SELECT sum(facts) FROM fact_term_counts c WHERE c.term = ${term} AND c.scope = ANY ($2::text[])), 0)
      + coalesce((SELECT sum(facts) FROM fact_term_changes c WHERE c.term = ${term} AND c.scope = ANY ($2::text[])), 0))::int`
}

/** For each word of `said` of which no fact in reach has any term, those that look most like it. */
export async function findNearTerms(database: Database, said: readonly SaidTerm[], reach: Reach): Promise<NearTerm[]> {
  const known = new Set(said.filter(({ facts }) => facts > 0).map(({ text, word }) => `${text} ${word}`))
  const unknown = said.filter(
    ({ text, word, term, isWhole }) => isWhole && term.length >= MIN_CHARS && !known.has(`${text} ${word}`),
  )
  const words = [...new Set(unknown.map(({ term }) => term))].slice(0, MAX_WORDS)
  if (words.length === 0) return []
  return await database.query<NearTerm>(NEAR_TERMS, [words, reach])
}

/** A term stands there once for each scope; that many are read. */
const MAX_READ = 12
/** Of a word that is a part of others: "house" and "warehouse". */
const MIN_CHARS_OF_PART = 5
const SIMILARITY_OF_PART = 0.45

/** Null, for which no index is read, where a word is short or has signs of a pattern; a backslash is none of these. */
const HAS_AS_PART = `(term || '') LIKE CASE
            WHEN length(asked.written) >= ${MIN_CHARS_OF_PART} AND asked.written !~ '[%_]' THEN '%' || asked.written || '%'
          END ESCAPE ''`
const SIMILARITY = `greatest(similarity(term, asked.written), CASE WHEN ${HAS_AS_PART} THEN ${SIMILARITY_OF_PART} END)`
/** A short term has nearly all of its trigrams in common with any long word that begins like it: "red", "required". */
const IS_LONG_ENOUGH = `length(term) >= least(${MIN_CHARS}, length(asked.written) - 1)`

/**
 * Changes are few, so they are read whole. What "%" finds is at least as similar as 0.3, by an index, which also finds
 * what a word is a part of. Among equals the term with less around that part.
 */
const NEAR_TERMS = {
  name: 'knowledge.near-terms',
  text: `SELECT asked.written, near.term, near.similarity::float8, ${countOfTerm('near.term')} AS facts
    FROM unnest($1::text[]) AS asked (written) CROSS JOIN LATERAL (
      SELECT term, max(similarity) AS similarity FROM (
        (SELECT term, ${SIMILARITY} AS similarity FROM fact_term_counts
          WHERE ((term || '') % asked.written OR ${HAS_AS_PART})
            AND ${IS_LONG_ENOUGH} AND facts > 0 AND scope = ANY ($2::text[])
          ORDER BY 2 DESC, length(term), 1 LIMIT ${MAX_READ})
        UNION ALL SELECT term, ${SIMILARITY} FROM fact_term_changes
          WHERE ${IS_LONG_ENOUGH} AND facts > 0 AND scope = ANY ($2::text[])) found
      WHERE similarity >= ${MIN_SIMILARITY} GROUP BY term ORDER BY 2 DESC, length(term), 1 LIMIT ${MAX_NEAR}) near`,
}
