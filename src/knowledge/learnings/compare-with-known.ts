/**
 * What is known already of a text: the fact or the learning that says the same, the fact that a person rejected, facts
 * of this turn's prompt that it contains, and facts that are alike. Called before a learning is stored, and before a
 * fact is made of one.
 *
 * What must hold: only facts that everybody is shown, and those of its own scope, are known to it, and what others have
 * stands in the way of none of these; but what a person rejected or discarded in a project is held for a person when
 * everybody is to be told it. Bounded with any number of facts and learnings. The same normal text is found in any case
 * (hash index); of those that are alike, the ones that are most about the same (../rank-facts.ts). What is alike is
 * never a reason to refuse: trigrams cannot tell 8080 from 8081.
 */
import { reachOfScope, type Scope } from '../../core/knowledge/fact-scope.ts'
import type { Database } from '../../store/database.ts'
import { isByPerson, isPerson } from '../../store/knowledge/vouched-facts.ts'
import { rankFacts } from '../rank-facts.ts'
import { howItRecalls, type Recall } from './how-it-recalls.ts'

/** By whom, and when. */
export interface Rejected {
  /** Elsewhere it may be a learning. */
  readonly factId: string
  readonly by: string
  readonly at: Date
  /** The fact went into another one. */
  readonly isMerged: boolean
  /** It is a project's, which those who read the learning may know nothing of. */
  readonly isElsewhere: boolean
}

export interface Comparison {
  /** It says the same, after folding. */
  readonly same: { readonly kind: 'fact' | 'learning'; readonly id: string } | null
  /**
   * A person has taken a fact that says the same out of use, corrected it or merged it into another one, or has
   * discarded the same in a project when it is everybody's, and nothing has brought it back.
   */
  readonly rejected: Rejected | null
  /** A fact of the prompt that it contains. */
  readonly recalled: { readonly factId: string; readonly how: Recall } | null
  /** Facts in use, best first. */
  readonly similarFactIds: readonly string[]
}

export interface KnownQuery {
  /** The text's normal text (core/text/normal-text.ts). */
  readonly norm: string
  /** The turn whose prompt had facts; '' for none. */
  readonly turnId: string
  /** Of the text. */
  readonly scope: Scope
  /** `facts`: learnings do not count, and none is called alike. */
  readonly among: 'facts' | 'all'
}

type Row = { readonly id: string; readonly norm: string } & (
  { readonly kind: 'fact' | 'learning' | 'prompt' } | ({ readonly kind: 'rejected' } & Omit<Rejected, 'factId'>)
)

export async function compareWithKnown(
  database: Database,
  { norm, turnId, scope, among }: KnownQuery,
): Promise<Comparison> {
  const rows = await database.query<Row>(KNOWN, [norm, turnId, among === 'all', reachOfScope(scope)])
  const same = rows.flatMap(({ kind, id }) => (kind === 'fact' || kind === 'learning' ? [{ kind, id }] : []))
  return {
    same: same[0] ?? null,
    rejected: rejectedIn(rows),
    recalled: recalledIn(norm, rows),
    similarFactIds: among === 'all' ? await alikeFacts(database, norm, scope) : [],
  }
}

function rejectedIn(rows: readonly Row[]): Rejected | null {
  const found = rows.find((row) => row.kind === 'rejected')
  if (found === undefined) return null
  const { id: factId, by, at, isMerged, isElsewhere } = found
  return { factId, by, at, isMerged, isElsewhere }
}

async function alikeFacts(database: Database, norm: string, scope: Scope): Promise<readonly string[]> {
  const near = await rankFacts(database, { about: norm, reach: reachOfScope(scope), maxCount: MAX_CANDIDATES })
  if (near.length === 0) return []
  const alike = await database.query<{ id: string }>(ALIKE, [norm, near.map(({ id }) => id)])
  return alike.map(({ id }) => id)
}

function recalledIn(norm: string, rows: readonly Row[]): Comparison['recalled'] {
  const found = rows.flatMap(({ kind, id, norm: known }) => {
    const how = kind === 'prompt' ? howItRecalls(norm, known) : null
    return how === null ? [] : [{ factId: id, how }]
  })
  return found.find(({ how }) => how === 'merely') ?? found[0] ?? null
}

/** Of trigrams, 0 to 1. Honest repetitions go down to 0.7, other facts about the same thing up to 0.9. */
const MIN_SIMILARITY = 0.5
const MAX_SIMILAR = 5
/** Facts that are about the same. */
const MAX_CANDIDATES = 20

const ALIKE = {
  name: 'knowledge.alike-facts',
  text: `SELECT id FROM facts WHERE id = ANY ($2::text[]) AND invalidated_at IS NULL AND similarity(norm, $1) >= ${MIN_SIMILARITY}
    ORDER BY similarity(norm, $1) DESC, array_position($2::text[], id) LIMIT ${MAX_SIMILAR}`,
}

/** Of facts `f`. */
const IN_REACH = "f.scope || ' ' || f.scope_of = ANY ($4::text[])"
/**
 * Of facts `f` that were rejected. A text for everybody reaches every project, so what a person rejected in one waits
 * for a person; what is one user's, or one session's, is told no other.
 */
const REJECTED_IN_REACH = `(${IN_REACH} OR (f.scope = 'PROJECT' AND 'GLOBAL ' = ALL ($4::text[])))`
const IS_ELSEWHERE = `NOT (${IN_REACH}) AND f.scope = 'PROJECT' AS is_elsewhere`
/** Where the fact went when it was merged; a fact that another one replaced did not hold any more. */
const INTO = `CASE WHEN f.invalidated_at IS NOT NULL AND f.valid_to IS NULL THEN f.replaced_by_id END AS into_id`
/** Of versions `n`. */
const BY_A_PERSON = isByPerson('n')

/** What learnings that said it became: their facts, and those that these were merged into. */
const BECAME = `SELECT l.id AS learning_id, l.scope || ' ' || l.scope_of = ANY ($4::text[]) AS is_theirs, f.id, ${INTO}
      FROM learnings l JOIN facts f ON f.id = l.fact_id WHERE l.norm = $1 AND l.status = 'PROMOTED'
    UNION SELECT became.learning_id, became.is_theirs, f.id, ${INTO} FROM became JOIN facts f ON f.id = became.into_id`

/** The last version of each fact that said it, and what a person did to it, or with the next one. */
const REJECTED = `SELECT NULL AS learning_id, f.id AS fact_id, n.changed_by, n.at,
      v.version = f.version AND f.replaced_by_id IS NOT NULL AND f.valid_to IS NULL AS is_merged, ${IS_ELSEWHERE}
    FROM (SELECT fact_id, max(version) AS version FROM fact_versions WHERE norm = $1 GROUP BY fact_id) v
      JOIN facts f ON f.id = v.fact_id AND (v.version < f.version OR f.invalidated_at IS NOT NULL)
        AND ${REJECTED_IN_REACH}
      JOIN fact_versions n ON n.fact_id = f.id AND n.version = least(v.version + 1, f.version) AND ${BY_A_PERSON}`

/** A fact that was made of the same learning, in other words, and taken out of use, or corrected, by a person. */
const REJECTED_AS_LEARNED = `SELECT became.learning_id, f.id, n.changed_by, n.at, false, ${IS_ELSEWHERE}
    FROM became JOIN facts f ON f.id = became.id AND (${REJECTED_IN_REACH} OR became.is_theirs)
      JOIN fact_versions n ON n.fact_id = f.id AND ${BY_A_PERSON} AND CASE WHEN f.invalidated_at IS NOT NULL
        THEN n.version = f.version AND became.into_id IS NULL
        ELSE n.change IN ('EDITED', 'REVERTED', 'CONSOLIDATED')
          AND f.norm <> (SELECT o.norm FROM fact_versions o WHERE o.fact_id = f.id AND o.version = 1) END`

/**
 * What a person discarded in a project, where no fact says it now: in the project it is refused, and what everybody is
 * told reaches the project.
 */
const DISCARDED_ELSEWHERE = `SELECT NULL, l.id, l.decided_by, l.decided_at, false, true FROM learnings l
    WHERE $3 AND l.norm = $1 AND l.status = 'DISCARDED' AND l.scope = 'PROJECT' AND 'GLOBAL ' = ALL ($4::text[])
      AND ${isPerson('l.decided_by')} AND NOT EXISTS (SELECT FROM facts f WHERE f.norm = $1
        AND f.invalidated_at IS NULL AND f.scope = l.scope AND f.scope_of = l.scope_of)`

/**
 * Earlier learnings that still count: what waits, what was discarded, and what became a fact that is still in use, or
 * went into one that is, and that no person has corrected. The fact may have another scope than the learning by now,
 * and must be one that is shown here. What is ASKED does not count: its answer may say the same.
 */
const COUNTS = `$3 AND (l.status IN ('PENDING', 'DISCARDED') OR (l.status = 'PROMOTED'
    AND NOT EXISTS (SELECT FROM rejected r WHERE r.learning_id = l.id)
    AND EXISTS (SELECT FROM became b JOIN facts f ON f.id = b.id
      WHERE b.learning_id = l.id AND f.invalidated_at IS NULL AND ${IN_REACH})))`

/**
 * Of learnings `l`. Without a scope, as one that was imported, it is its session's; one that became a fact counts where
 * that is shown.
 */
const LEARNED_IN_REACH = `CASE WHEN l.scope IS NOT NULL THEN l.scope || ' ' || l.scope_of = ANY ($4::text[])
      ELSE l.status = 'PROMOTED' OR 'SESSION ' || l.session_id = ANY ($4::text[]) END`

const KNOWN = {
  name: 'knowledge.compare-with-known',
  text: `WITH RECURSIVE became AS (${BECAME}),
    rejected AS MATERIALIZED (${REJECTED} UNION ALL ${REJECTED_AS_LEARNED} UNION ALL ${DISCARDED_ELSEWHERE})
    (SELECT 'fact' AS kind, id, norm, NULL AS by, NULL::timestamptz AS at, false AS "isMerged", false AS "isElsewhere"
      FROM facts f WHERE norm = $1 AND invalidated_at IS NULL AND ${IN_REACH} LIMIT 1)
    UNION ALL (SELECT 'learning', id, norm, NULL, NULL, false, false FROM learnings l WHERE norm = $1 AND ${COUNTS}
      AND ${LEARNED_IN_REACH} LIMIT 1)
    UNION ALL (SELECT 'rejected', fact_id, $1, changed_by, at, is_merged, is_elsewhere FROM rejected ORDER BY at DESC LIMIT 1)
    UNION ALL SELECT 'prompt', id, norm, NULL, NULL, false, false FROM facts
      WHERE id = ANY ((SELECT fact_ids FROM turn_facts WHERE turn_id = $2)::text[])`,
}
