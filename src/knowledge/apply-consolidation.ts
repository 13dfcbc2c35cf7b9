/**
 * Writes a consolidation in one statement: facts that are edited, those that are merged into a new one or dropped (and
 * so invalidated, with a link to what replaced them), their history, the audit, and how far the consolidation came.
 *
 * What must hold: only who holds the claim writes. A fact that was edited or invalidated since the batch was read stays
 * as it is, and so does a merge that it was part of.
 */
import type { Consolidation } from '../agents/agent.ts'
import { normalText } from '../core/text/normal-text.ts'
import { newId } from '../platform/id.ts'
import { must } from '../platform/must.ts'
import type { Database } from '../store/database.ts'
import type { ConsolidationBatch } from './claim-consolidation.ts'

export interface ConsolidationResult {
  readonly batch: ConsolidationBatch
  readonly changes: readonly Exclude<Consolidation, { operation: 'KEEP' }>[]
  /** Whose turn it was done after, for the audit. */
  readonly sessionId: string
  readonly turnId: string
  readonly at: Date
}

/** Returns the ids of the facts that changed or are new. */
export async function applyConsolidation(database: Database, result: ConsolidationResult): Promise<string[]> {
  const { batch, changes, sessionId, turnId, at } = result
  const versions = new Map(batch.facts.map(({ id, version }) => [id, version]))
  const sources = changes.flatMap((change, n) =>
    factIdsOf(change).map((id) => ({
      n,
      id,
      version: must(versions.get(id), 'of the batch'),
      auditId: newId('audit'),
    })),
  )
  const values = [batch.startedAt, JSON.stringify(sources), JSON.stringify(changes.map(toRow)), at, sessionId, turnId]
  const rows = await database.query<{ id: string }>(APPLY, [...values, batch.lastFactId])
  return rows.map((row) => row.id)
}

function factIdsOf(change: ConsolidationResult['changes'][number]): readonly string[] {
  return change.operation === 'MERGE' ? change.factIds : [change.factId]
}

function toRow(change: ConsolidationResult['changes'][number], n: number): object {
  const { operation } = change
  const size = factIdsOf(change).length
  if (operation === 'DROP') return { n, operation, size, reason: change.reason }
  const text = { content: change.content, norm: normalText(change.content) }
  return operation === 'EDIT'
    ? { n, operation, size, ...text }
    : { n, operation, size, ...text, newId: newId('fact'), auditId: newId('audit') }
}

/**
 * `changes`: those all of whose facts are as they were, and whose text no other fact says. What they replace goes out
 * of use before they come (`changed` before `made`), as they may say the same. The locks are taken in order of id, as
 * every writer takes them.
 */
const APPLY = {
  name: 'knowledge.apply-consolidation',
  text: `WITH claim AS MATERIALIZED (
      SELECT id FROM consolidation_state WHERE started_at = $1::timestamptz FOR UPDATE),
    sources AS MATERIALIZED (
      SELECT f.id, f.session_id, s.n, s."auditId" FROM claim,
        jsonb_to_recordset($2::jsonb) AS s (n int, id text, version int, "auditId" text) JOIN facts f ON f.id = s.id
      WHERE f.invalidated_at IS NULL AND f.scope = 'GLOBAL' AND f.version = s.version ORDER BY f.id FOR UPDATE OF f),
    changes AS MATERIALIZED (
      SELECT c.*, l.session_id FROM jsonb_to_recordset($3::jsonb)
        AS c (n int, operation text, size int, content text, norm text, reason text, "newId" text, "auditId" text)
      JOIN (SELECT n, count(*) AS size, CASE WHEN count(DISTINCT coalesce(session_id, '')) = 1 THEN min(session_id) END AS session_id
        FROM sources GROUP BY n) l ON l.n = c.n AND l.size = c.size
      WHERE c.norm IS NULL OR NOT EXISTS (SELECT FROM facts f WHERE f.norm = c.norm AND f.invalidated_at IS NULL AND f.scope = 'GLOBAL'
        AND NOT EXISTS (SELECT FROM sources s WHERE s.n = c.n AND s.id = f.id))),
    changed AS (
      UPDATE facts f SET version = f.version + 1, updated_at = $4,
        content = CASE c.operation WHEN 'EDIT' THEN c.content ELSE f.content END,
        norm = CASE c.operation WHEN 'EDIT' THEN c.norm ELSE f.norm END,
        invalidated_at = CASE c.operation WHEN 'EDIT' THEN NULL ELSE $4::timestamptz END, replaced_by_id = c."newId",
        reviewed_by = CASE c.operation WHEN 'EDIT' THEN NULL ELSE f.reviewed_by END,
        reviewed_at = CASE c.operation WHEN 'EDIT' THEN NULL ELSE f.reviewed_at END
      FROM sources s JOIN changes c ON c.n = s.n WHERE f.id = s.id
      RETURNING f.id, f.version, f.content, f.norm, s."auditId",
        CASE c.operation WHEN 'MERGE' THEN 'merged into ' || c."newId" ELSE c.reason END AS reason),
    made AS (
      INSERT INTO facts (id, content, norm, source, session_id, created_at, updated_at)
      SELECT "newId", content, norm, 'SUMMARIZER', session_id, $4, $4 FROM changes
      WHERE operation = 'MERGE' AND (SELECT count(*) FROM changed) > 0),
    history AS (
      INSERT INTO fact_versions (fact_id, version, content, norm, change, changed_by, reason, at)
      SELECT id, version, content, norm, 'CONSOLIDATED'::fact_change, 'summarizer', reason, $4::timestamptz FROM changed
      UNION ALL SELECT "newId", 1, content, norm, 'CONSOLIDATED', 'summarizer', NULL, $4 FROM changes WHERE operation = 'MERGE'),
    told AS (
      SELECT id, "auditId", reason FROM changed
      UNION ALL SELECT "newId", "auditId", NULL FROM changes WHERE operation = 'MERGE'),
    audited AS (
      INSERT INTO audit_entries (id, at, kind, session_id, turn_id, actor, data)
      SELECT "auditId", $4, 'KNOWLEDGE', $5, $6, 'summarizer',
        jsonb_build_object('subjectId', id, 'change', 'CONSOLIDATED', 'reason', reason) FROM told),
    moved AS (
      UPDATE consolidation_state s SET last_fact_id = $7,
        newest_fact_id = greatest(s.newest_fact_id, (SELECT max("newId") FROM changes)) FROM claim WHERE s.id = claim.id)
    SELECT id FROM told`,
}
