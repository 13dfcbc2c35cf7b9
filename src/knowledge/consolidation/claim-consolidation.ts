/**
 * The right to search for facts that are alike, and which of them are compared. The state's one row is the claim: the
 * process that set `started_at` last may write what comes of it (store/proposals/store-proposal.ts), and no other may
 * claim it during a pause, also when that process died. Each fact is compared once, with all that are in use, when it
 * is new; what an admin has still to decide, or has rejected, is not proposed again.
 *
 * What must hold: only facts that everybody is shown, and none that a person made, reviewed, changed or brought back.
 */
import type { Database } from '../../store/database.ts'
import { CONSOLIDATION_DUE, OF_ALL } from '../../store/knowledge/knowledge-due.ts'
import { isByPerson } from '../../store/knowledge/vouched-facts.ts'
import { rankFacts } from '../rank-facts.ts'
import { groupAlike } from './group-alike.ts'
import type { SeenFact } from './judge-consolidation.ts'

/** What there is to ask about, and how far the facts are compared when that is done. */
export interface ConsolidationBatch {
  /** Names the claim. */
  readonly startedAt: string
  /** Facts that are alike; [] when there is nothing to propose. */
  readonly groups: readonly (readonly SeenFact[])[]
  readonly lastFactId: string
}

interface ClaimedFact extends SeenFact {
  readonly norm: string
  readonly isOurs: boolean
}

/** New facts in one run. */
const MAX_FACTS = 100
/** Groups in one run: each is a call of the summarizer's. */
const MAX_GROUPS = 4
/** Facts of one group. */
export const MAX_GROUP = 12
/** Of trigrams, 0 to 1. */
const MIN_SIMILARITY = 0.5
const MAX_NEAR = 20
/** Proposals that wait for an admin; with more, no further ones are made. */
const MAX_WAITING = 20

/** Null: nothing is new, or another process does it, or an admin has enough to decide. */
export async function claimConsolidation(database: Database): Promise<ConsolidationBatch | null> {
  const rows = await database.query<ClaimedFact & { startedAt: string }>(CLAIM, [])
  const [first, last] = [rows[0], rows.at(-1)]
  if (first === undefined || last === undefined) return null
  const groups: (readonly SeenFact[])[] = []
  const grouped = new Set<string>()
  let lastFactId = last.id
  for (const fact of rows.filter(({ isOurs }) => isOurs)) {
    if (grouped.has(fact.id)) continue
    const group = await groupOf(database, fact, grouped)
    if (group.length < 2) continue
    groups.push(group)
    for (const { id } of group) grouped.add(id)
    if (groups.length < MAX_GROUPS) continue
    lastFactId = fact.id
    break
  }
  return { startedAt: first.startedAt, groups, lastFactId }
}

/** The fact and those that are alike to it and to nothing that is asked about already. */
async function groupOf(
  database: Database,
  fact: ClaimedFact,
  taken: ReadonlySet<string>,
): Promise<readonly SeenFact[]> {
  const about = await rankFacts(database, { about: fact.content, maxCount: MAX_NEAR })
  const ids = about.map(({ id }) => id).filter((id) => id !== fact.id)
  const near = ids.length === 0 ? [] : await database.query<ClaimedFact>(NEAR, [fact.norm, ids])
  const free = [fact, ...near.filter(({ id }) => !taken.has(id))].slice(0, MAX_GROUP)
  const [group] = groupAlike(free.map((one) => ({ ...one, scope: 'GLOBAL' })))
  const alike = new Set(group?.ids.includes(fact.id) === true ? group.ids : [])
  return free.filter(({ id }) => alike.has(id)).map(({ id, content, version }) => ({ id, content, version }))
}

/** Of facts `f`: a part of the server made it, and no person has pinned, reviewed or changed it, or brought it back. */
const IS_OURS = `f.source <> 'MANUAL' AND f.reviewed_at IS NULL AND NOT f.pinned AND NOT EXISTS (SELECT FROM fact_versions v
  WHERE v.fact_id = f.id AND ${isByPerson('v')})`

/**
 * Of facts `f`: it is asked about, or was in vain, as it is. Not EXISTS, for which all proposals might be read to hash
 * them.
 */
const IS_PROPOSED = `(SELECT true FROM fact_proposal_sources s JOIN fact_proposals p ON p.id = s.proposal_id
  WHERE s.fact_id = f.id AND s.version = f.version AND p.status <> 'ACCEPTED' LIMIT 1) IS NOT NULL`

const CLAIM = {
  name: 'knowledge.claim-consolidation',
  text: `WITH claimed AS (
      UPDATE consolidation_state c SET started_at = clock_timestamp() WHERE ${CONSOLIDATION_DUE}
        AND ${MAX_WAITING} >
          (SELECT count(*) FROM (SELECT FROM fact_proposals WHERE status = 'WAITING' LIMIT ${MAX_WAITING}) w)
      RETURNING started_at, coalesce(last_fact_id, '') AS behind)
    SELECT claimed.started_at::text AS "startedAt", f.id, f.content, f.norm, f.version,
      ${IS_OURS} AND NOT ${IS_PROPOSED} AS "isOurs"
    FROM claimed CROSS JOIN LATERAL (
      SELECT * FROM facts WHERE ${OF_ALL} AND id > claimed.behind ORDER BY id LIMIT ${MAX_FACTS}) f`,
}

const NEAR = {
  name: 'knowledge.near-consolidation',
  text: `SELECT f.id, f.content, f.norm, f.version, true AS "isOurs" FROM facts f
    WHERE f.id = ANY ($2::text[]) AND f.invalidated_at IS NULL AND f.scope = 'GLOBAL' AND similarity(f.norm, $1) >= ${MIN_SIMILARITY}
      AND ${IS_OURS} AND NOT ${IS_PROPOSED}
    ORDER BY similarity(f.norm, $1) DESC, f.id`,
}
