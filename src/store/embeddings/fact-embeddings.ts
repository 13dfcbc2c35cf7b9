/**
 * What facts mean, as rows: which are due, and what is stored of them. A trigger takes away what is no longer so
 * (prisma/migrations/20261125160000_fact_embeddings). All times are the database's.
 */
import type { NewAuditEntry } from '../../core/audit-entry.ts'
import { AUDIT_RECORD, auditRows, INSERT_AUDIT } from '../audit-entries.ts'
import type { Database } from '../database.ts'

/** Facts in use that one run has claimed, and may embed until its lease runs out. */
export interface DueFact {
  readonly id: string
  readonly content: string
}

/** Of facts that change from now on each is due, and what was put off is at once. Repeatable. */
export async function turnEmbeddingOn(database: Database): Promise<void> {
  await database.query(TURN_ON, [])
}

/** Nothing is due any more. What is stored stays, for the day on which the same model is set again. Repeatable. */
export async function turnEmbeddingOff(database: Database): Promise<void> {
  await database.query(TURN_OFF, [])
}

const TURN_ON = {
  name: 'embedding.turn-on',
  text: `WITH again AS (UPDATE embedding_jobs SET ready_at = now() WHERE run_id IS NULL)
    INSERT INTO embedding_state (id) VALUES (1) ON CONFLICT DO NOTHING`,
}
const TURN_OFF = {
  name: 'embedding.turn-off',
  text: 'WITH jobs AS (DELETE FROM embedding_jobs) DELETE FROM embedding_state',
}

/** Makes facts due that have no vector of the model, newest first, and says how many. */
export async function findUnembedded(database: Database, model: string, limit: number): Promise<number> {
  const [row] = await database.query<{ found: number }>(FIND, [model, limit])
  return row?.found ?? 0
}

/** Not prepared: a plan that was made while there were no vectors may be slow later. */
const FIND = {
  name: '',
  text: `WITH missing AS (
      SELECT f.id FROM facts f WHERE f.invalidated_at IS NULL
        AND NOT EXISTS (SELECT FROM fact_embeddings e WHERE e.fact_id = f.id AND e.model = $1)
        AND NOT EXISTS (SELECT FROM embedding_jobs j WHERE j.fact_id = f.id)
      ORDER BY f.id DESC LIMIT $2::int),
    due AS (INSERT INTO embedding_jobs (fact_id) SELECT id FROM missing ON CONFLICT DO NOTHING RETURNING fact_id)
    SELECT count(*)::int AS found FROM due`,
  timeoutMs: 25_000,
}

/** [] when none is due. Facts that are out of use by now are no longer due. */
export async function claimUnembedded(database: Database, runId: string, limit: number): Promise<DueFact[]> {
  return await database.query<DueFact>(CLAIM, [runId, limit])
}

const CLAIM = {
  name: 'embedding.claim',
  text: `WITH free AS MATERIALIZED (
      SELECT fact_id FROM embedding_jobs WHERE ready_at <= now() AND (leased_until IS NULL OR leased_until <= now())
      ORDER BY ready_at LIMIT $2::int FOR UPDATE SKIP LOCKED),
    gone AS (
      DELETE FROM embedding_jobs j USING free, facts f
      WHERE j.fact_id = free.fact_id AND f.id = j.fact_id AND f.invalidated_at IS NOT NULL),
    claimed AS (
      UPDATE embedding_jobs j SET run_id = $1, leased_until = now() + interval '150 seconds'
      FROM free, facts f WHERE j.fact_id = free.fact_id AND f.id = j.fact_id AND f.invalidated_at IS NULL
      RETURNING f.id, f.content)
    SELECT id, content FROM claimed`,
}

/** Gives back what the run has claimed and not stored; `againInMs`: when it is tried again. */
export async function postponeUnembedded(
  database: Database,
  { runId, ids, againInMs }: { readonly runId: string; readonly ids: readonly string[]; readonly againInMs: number },
): Promise<void> {
  await database.query(POSTPONE, [runId, ids, againInMs])
}

const POSTPONE = {
  name: 'embedding.postpone',
  text: `UPDATE embedding_jobs SET run_id = NULL, leased_until = NULL,
      ready_at = now() + $3::float8 * interval '1 millisecond'
    WHERE run_id = $1 AND fact_id = ANY ($2::text[])`,
}

/** A fact as it was embedded: with the text that was. */
export interface EmbeddedFact extends DueFact {
  readonly sketch: string
  readonly vector: Float32Array
}

/**
 * What was embedded, together with what the calls have cost. A fact that says something else by now, or is out of use,
 * keeps none: its row is locked, so that a change after it meets the vector, and takes it away.
 */
export async function storeEmbeddings(
  database: Database,
  { runId, model, facts }: { readonly runId: string; readonly model: string; readonly facts: readonly EmbeddedFact[] },
  audit: readonly NewAuditEntry[],
): Promise<void> {
  await database.query(STORE, [
    runId,
    model,
    facts.map(({ id }) => id),
    facts.map(({ content }) => content),
    facts.map(({ sketch }) => sketch),
    facts.map(({ vector }) => bytesOf(vector)),
    auditRows(audit),
  ])
}

const STORE = {
  name: 'embedding.store',
  text: `WITH audited AS (
      ${INSERT_AUDIT}
      SELECT a.id, a.at, a.kind, a.session_id, a.turn_id, a.actor, a.token_name, a.data
      FROM jsonb_to_recordset($7::jsonb) AS a (${AUDIT_RECORD})),
    made AS (
      SELECT f.id, f.scope || ' ' || f.scope_of AS scope, m.sketch, m.vector
      FROM unnest($3::text[], $4::text[], $5::text[], $6::bytea[]) AS m (id, content, sketch, vector)
        JOIN facts f ON f.id = m.id AND f.content = m.content AND f.invalidated_at IS NULL
      ORDER BY f.id FOR SHARE OF f),
    done AS (
      DELETE FROM embedding_jobs j USING made WHERE j.fact_id = made.id AND j.run_id = $1)
    INSERT INTO fact_embeddings (fact_id, model, scope, sketch, vector)
    SELECT id, $2, scope, sketch::bit(1024), vector FROM made
    ON CONFLICT (fact_id, model) DO UPDATE SET scope = excluded.scope, sketch = excluded.sketch,
      vector = excluded.vector, at = excluded.at`,
}

/**
 * Takes away some vectors of models that are no longer asked; returns how many went. Those of the last day stay, as
 * another process may ask for them.
 */
export async function removeOtherEmbeddings(database: Database, model: string): Promise<number> {
  const [row] = await database.query<{ removed: number }>(REMOVE_OTHERS, [model])
  return row?.removed ?? 0
}

const REMOVE_OTHERS = {
  name: 'embedding.remove-others',
  text: `WITH gone AS (
      DELETE FROM fact_embeddings WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM fact_embeddings WHERE model <> $1 AND at < now() - interval '1 day' LIMIT 1000))
      RETURNING fact_id)
    SELECT count(*)::int AS removed FROM gone`,
}

function bytesOf(vector: Float32Array): Buffer {
  const bytes = Buffer.alloc(4 * vector.length)
  vector.forEach((part, at) => bytes.writeFloatLE(part, 4 * at))
  return bytes
}
