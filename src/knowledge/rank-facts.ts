/**
 * Facts that are about what is said, best first: by how rare the words are that they share with it (BM25 without the
 * count of a word in a fact, which is one in a sentence), among the facts in reach: what others alone are shown neither
 * makes a word common nor stands in the way. Words, stems and their true counts are kept by triggers
 * (prisma/migrations/20261125100000_fact_terms_by_scope); what is read depends on the bounds below, not on how many
 * facts there are.
 */
import type { KnownFact } from '../agents/agent.ts'
import { GLOBAL_SCOPE, reachOfScope, type Reach } from '../core/knowledge/fact-scope.ts'
import type { Database } from '../store/database.ts'
import { aboveFloor, mayBeFound, namesIn, weighTerms, type SaidTerm, type WeighedTerm } from './weigh-terms.ts'
import { isVouchedFor } from '../store/knowledge/vouched-facts.ts'
import { endsOfText } from './ends-of-text.ts'
import { countOfTerm, findNearTerms } from './near-terms.ts'

export interface FactQuery {
  /** What is asked; texts that the facts should be about. */
  readonly about: string
  /** What it may refer to, newest first: messages before it, the goal of a plan that failed. They weigh less. */
  readonly before?: readonly string[]
  /** Whose facts are ranked; everybody's when left out. */
  readonly reach?: Reach
  /** Whose word counts as it is (teachersFor); what others taught must have been reviewed. Null: everybody's. */
  readonly teachers?: readonly string[] | null
  readonly maxCount: number
}

export interface RankedFact extends KnownFact {
  readonly score: number
}

/** At most `maxCount` live facts that share something telling with the query, best first; [] when none does. */
export async function rankFacts(database: Database, query: FactQuery): Promise<RankedFact[]> {
  const texts = [query.about, ...(query.before ?? [])].map(endsOfText)
  const reach = query.reach ?? reachOfScope(GLOBAL_SCOPE)
  const said = await database.query<SaidTerm>(SAID_TERMS, [texts, reach])
  const total = said.find(({ term }) => term === '')?.facts ?? 0
  if (total === 0) return []
  const near = await findNearTerms(database, said, reach)
  const terms = weighTerms({ said, near, total, names: namesIn(texts) })
  if (!mayBeFound(terms, { total, maxCount: query.maxCount })) return []
  const found = await database.query<RankedFact>(RANK_FACTS, parametersOf(terms, { ...query, reach }))
  return aboveFloor(found, { total, maxCount: query.maxCount }).slice(0, query.maxCount)
}

/** Facts of a term that are read in each scope. Those of rarer terms are read whole; commoner terms only weigh them. */
const MAX_READ = 1500
/** Of which all terms are read. */
const MAX_CANDIDATES = 300
/** Of which an admin's are found: what others taught does not crowd out what this admin may be shown. */
const MAX_LOOKED_AT = 10 * MAX_CANDIDATES
/** More than a fact has. */
const MAX_TERMS_OF_FACT = 1000

function parametersOf(
  terms: readonly WeighedTerm[],
  { maxCount, reach, teachers = null }: FactQuery & { readonly reach: Reach },
): unknown[] {
  const rarestFirst = terms.toSorted((a, b) => a.facts - b.facts)
  let read = 0
  const leads = rarestFirst.filter(({ facts }, index) => {
    read += facts
    return index === 0 || read <= MAX_READ
  })
  const asked = [...leads, ...commonestOfWords(rarestFirst.slice(leads.length))]
  return [
    asked.map(({ term }) => term),
    asked.map(({ word }) => word),
    asked.map(({ weight }) => weight),
    asked.map((_, index) => index < leads.length),
    maxCount * 2,
    reach,
    teachers,
  ]
}

/** A fact that has a word has its stem, too: comparing each candidate with both would take twice as long. */
function commonestOfWords(rarestFirst: readonly WeighedTerm[]): WeighedTerm[] {
  return [...new Map(rarestFirst.map((term) => [term.word, term])).values()]
}

/** Each term of each text with how many facts in reach have it; the empty one's count is that of all of these. */
const SAID_TERMS = {
  name: 'knowledge.said-terms',
  text: `SELECT said.text, said.word, said.term, said."isWhole", ${countOfTerm('said.term')} AS facts FROM (
      SELECT t.n::int - 1 AS text, s.n::int AS word, s.term, s.is_whole AS "isWhole"
      FROM unnest($1::text[]) WITH ORDINALITY AS t (content, n) CROSS JOIN LATERAL search_terms(t.content) s
      UNION ALL SELECT 0, 0, '', false) said`,
}

/**
 * A subquery with LIMIT for each candidate: as a join, all facts might be read to be hashed. Of a word's terms the best
 * counts. Twice as many as wanted: some are dropped for their length.
 */
const RANK_FACTS = {
  name: 'knowledge.rank-facts',
  text: `WITH asked AS MATERIALIZED (
      SELECT * FROM unnest($1::text[], $2::int[], $3::float8[], $4::boolean[]) AS a (term, word, weight, leads)),
    hits AS MATERIALIZED (
      SELECT hit.fact_id, reached.scope, asked.word, max(asked.weight) AS weight
      FROM asked CROSS JOIN unnest($6::text[]) AS reached (scope) CROSS JOIN LATERAL (
        SELECT t.fact_id FROM fact_terms t WHERE t.term = asked.term AND t.scope = reached.scope
        ORDER BY t.fact_id DESC LIMIT ${MAX_READ}) hit
      WHERE asked.leads GROUP BY 1, 2, 3),
    led AS MATERIALIZED (
      SELECT fact_id, scope FROM (
        SELECT fact_id, scope, sum(weight) AS weight FROM hits GROUP BY 1, 2 ORDER BY 3 DESC, 1 DESC
        LIMIT ${MAX_LOOKED_AT}) best
      WHERE $7::text[] IS NULL OR EXISTS (SELECT FROM facts f WHERE f.id = best.fact_id AND ${isVouchedFor('$7')})
      ORDER BY weight DESC, fact_id DESC LIMIT ${MAX_CANDIDATES}),
    scored AS (
      SELECT fact_id, sum(weight) AS score FROM (
        SELECT fact_id, word, max(weight) AS weight FROM (
          SELECT hits.fact_id, hits.word, hits.weight FROM hits JOIN led USING (fact_id)
          UNION ALL SELECT also.fact_id, asked.word, asked.weight FROM led CROSS JOIN LATERAL (
            SELECT t.fact_id, t.term FROM fact_terms t WHERE t.fact_id = led.fact_id LIMIT ${MAX_TERMS_OF_FACT}) also
          JOIN asked ON asked.term = also.term AND NOT asked.leads) terms
        GROUP BY 1, 2) words
      GROUP BY fact_id ORDER BY 2 DESC, 1 DESC LIMIT $5::int)
    SELECT f.id, f.content, scored.score FROM scored JOIN facts f ON f.id = scored.fact_id AND f.invalidated_at IS NULL
    ORDER BY scored.score DESC, f.id DESC`,
}
