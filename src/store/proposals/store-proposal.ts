/**
 * Writes what the summarizer proposes, in one statement: the proposal with its sources, the audit, and how far the
 * facts are compared. Only who holds the claim writes.
 */
import { newId } from '../../platform/id.ts'
import type { Database } from '../database.ts'

/** What a consolidation came to. */
export interface NewProposal {
  /** Names the claim. */
  readonly startedAt: string
  readonly lastFactId: string
  /** [] for nothing to propose. */
  readonly steps: readonly {
    readonly operation: 'MERGE' | 'EDIT' | 'DROP'
    readonly facts: readonly { readonly id: string; readonly version: number; readonly content: string }[]
    readonly content: string | null
    readonly reason: string | null
  }[]
  /** Whose turn it was done after, for the audit. */
  readonly sessionId: string
  readonly turnId: string
  readonly at: Date
}

/** The id of the proposal; null: there is nothing to propose, or another process has the claim by now. */
export async function storeProposal(database: Database, proposal: NewProposal): Promise<string | null> {
  const { startedAt, lastFactId, steps, sessionId, turnId, at } = proposal
  const sources = steps.flatMap(({ facts }, step) => facts.map((fact) => ({ step, ...fact })))
  const texts = steps.map(({ operation, content, reason }) => ({ operation, content, reason }))
  const values = [startedAt, lastFactId, newId('proposal'), JSON.stringify(texts), JSON.stringify(sources), at]
  const rows = await database.query<{ id: string }>(STORE, [...values, sessionId, turnId, newId('audit')])
  return rows[0]?.id ?? null
}

/** Without a proposal the next new facts are compared without a pause. */
const STORE = {
  name: 'proposals.store',
  text: `WITH claim AS MATERIALIZED (
      SELECT id FROM consolidation_state WHERE started_at = $1::timestamptz FOR UPDATE),
    made AS (
      INSERT INTO fact_proposals (id, steps, created_at)
      SELECT $3, $4::jsonb, $6::timestamptz FROM claim WHERE jsonb_array_length($4::jsonb) > 0 RETURNING id),
    sources AS (
      INSERT INTO fact_proposal_sources (proposal_id, step, fact_id, version, content)
      SELECT made.id, s.step, s.id, s.version, s.content FROM made,
        jsonb_to_recordset($5::jsonb) AS s (step int, id text, version int, content text)),
    audited AS (
      INSERT INTO audit_entries (id, at, kind, session_id, turn_id, actor, data)
      SELECT $9, $6, 'KNOWLEDGE', $7, $8, 'summarizer',
        jsonb_build_object('subjectId', made.id, 'change', 'PROPOSED', 'reason', NULL) FROM made),
    moved AS (
      UPDATE consolidation_state s SET last_fact_id = $2,
        started_at = CASE WHEN EXISTS (SELECT FROM made) THEN s.started_at END
      FROM claim WHERE s.id = claim.id)
    SELECT id FROM made`,
}
