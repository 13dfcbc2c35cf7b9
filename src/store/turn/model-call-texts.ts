/**
 * What was said in model calls, for some days: a row for each under the id of its entry in the audit, written by the
 * statement that writes the entry. It goes with its session, and with an erasure in it. A system prompt in which
 * nothing of a session is stands in a table of its own (system-prompts.ts), once for all calls.
 */
import type { NewCallTexts } from '../../core/turn-write.ts'
import { toStorable } from '../../platform/well-formed.ts'
import { STATEMENT_TIMEOUT_MS, type Database } from '../database.ts'
import { sql } from '../sql.ts'

/** Characters of each text that are kept, half of them from its end. */
export const MAX_KEPT_CHARS = 65_536

/**
 * The texts as JSON for `jsonb_to_recordset`. They are redacted before: half a secret is not found. A prompt with a
 * `sharedSha256` is only named: the same statement keeps it (`sharePrompts`).
 */
export function callTextsRows(texts: readonly NewCallTexts[]): string {
  const rows = texts.map(({ id, at, system, sharedSha256, prompt, answer }) => ({
    id,
    at,
    ...(sharedSha256 === null ? { system: keptText(system) } : { system_sha256: `\\x${sharedSha256}` }),
    prompt: keptText(prompt),
    answer: answer === null ? null : keptText(answer),
  }))
  return JSON.stringify(rows)
}

/** Column definitions for `jsonb_to_recordset` of what `callTextsRows` made. */
export const CALL_TEXTS_RECORD = sql`id text, at timestamptz, system text, system_sha256 bytea, prompt text,
      answer text`
/** Head of every statement that writes them. */
export const INSERT_CALL_TEXTS = sql`
    INSERT INTO model_call_texts (id, session_id, at, system, system_sha256, prompt, answer)`

/** A text as it is stored. */
export function keptText(text: string): string {
  return toStorable(cutInTheMiddle(text))
}

function cutInTheMiddle(text: string): string {
  const left = text.length - MAX_KEPT_CHARS
  if (left <= 0) return text
  const half = MAX_KEPT_CHARS / 2
  return `${text.slice(0, half)}\n[… ${left} characters left out …]\n${text.slice(-half)}`
}

/** One row, without what its entry in the audit says. */
export interface StoredCallTexts {
  readonly id: string
  readonly system: string
  readonly prompt: string
  readonly answer: string | null
}

/** Those of the calls that are still kept. */
export async function readCallTexts(database: Database, ids: readonly string[]): Promise<Map<string, StoredCallTexts>> {
  const rows = await database.query<StoredCallTexts>(READ, [ids])
  return new Map(rows.map((row) => [row.id, row]))
}

const READ = {
  name: 'model-call-texts.read',
  text: `SELECT t.id, coalesce(t.system, p.text) AS system, t.prompt, t.answer
    FROM model_call_texts t LEFT JOIN system_prompts p ON p.sha256 = t.system_sha256 WHERE t.id = ANY ($1::text[])`,
}

/** Removes some of those that are older than so many days, by the database's clock; returns how many. */
export async function removeOldCallTexts(database: Database, days: number): Promise<number> {
  const [row] = await database.query<{ removed: number }>(REMOVE, [days])
  return row?.removed ?? 0
}

const MAX_REMOVED = 2000
/** Ids are in the order of time: an index on `at` would be written for each call, and read once an hour. */
const REMOVE = {
  name: 'model-call-texts.remove',
  text: `WITH gone AS (
      DELETE FROM model_call_texts t WHERE t.id IN (
        SELECT oldest.id FROM (SELECT id, at FROM model_call_texts ORDER BY id LIMIT ${MAX_REMOVED}) oldest
        WHERE oldest.at < now() - $1::float8 * interval '1 day')
      RETURNING 1)
    SELECT count(*)::int AS removed FROM gone`,
  timeoutMs: STATEMENT_TIMEOUT_MS,
}
