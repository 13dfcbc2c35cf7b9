/**
 * System prompts that prompt files alone make, each kept once under its SHA-256: a turn's three calls would otherwise
 * write the same 17 kB again and again. Nothing of a session, or of a person, is in them.
 *
 * What must hold: a prompt outlives every row of `model_call_texts` that names it. So it is kept by the statement that
 * writes the row, is noted as used once an hour by each process that uses it, and goes a day later than the oldest row
 * that may name it (`removeOldSystemPrompts`). A foreign key would look it up, and lock it, for each call.
 */
import { hash } from 'node:crypto'
import type { NewCallTexts } from '../../core/turn-write.ts'
import type { Database, Queryable } from '../database.ts'
import { sql } from '../sql.ts'
import { keptText } from './model-call-texts.ts'

interface KeptPrompt {
  readonly text: string
  readonly atMs: number
}

/** What a statement that writes texts of calls has to keep with them. */
export interface SharedPrompts {
  /**
   * The texts as they may be stored: a prompt that is not what its SHA-256 says, since a secret was taken out of it,
   * stays with its call.
   */
  readonly texts: readonly NewCallTexts[]
  /** For `jsonb_to_recordset` with `PROMPTS_RECORD`; empty when the process knows all of them to be kept. */
  readonly due: readonly { readonly sha256: string; readonly text: string }[]
  /** Call it once the statement has kept those that are due; until then they are due again. */
  readonly noteKept: () => void
}

/** By their SHA-256, what a process knows to be kept. */
const keptIn = new WeakMap<Queryable, Map<string, KeptPrompt>>()
const NOTE_AGAIN_MS = 3_600_000
/** Of which a process remembers that they are kept: more only come of files that are edited again and again. */
const MAX_REMEMBERED = 100

/** Which prompts of the texts are shared, and which of those the statement that is to store them must keep. */
export function sharePrompts(database: Queryable, texts: readonly NewCallTexts[]): SharedPrompts {
  const kept = keptIn.get(database) ?? new Map<string, KeptPrompt>()
  keptIn.set(database, kept)
  const checked = texts.map((text) => (isShared(text, kept) ? text : { ...text, sharedSha256: null }))
  const due = new Map<string, KeptPrompt>()
  for (const { sharedSha256, system, at } of checked) {
    const known = sharedSha256 === null ? null : kept.get(sharedSha256)
    if (sharedSha256 === null || (known && Math.abs(at.getTime() - known.atMs) < NOTE_AGAIN_MS)) continue
    due.set(sharedSha256, { text: system, atMs: at.getTime() })
  }
  return {
    texts: checked,
    due: [...due].map(([sha256, { text }]) => ({ sha256, text: keptText(text) })),
    noteKept: () => {
      if (kept.size + due.size > MAX_REMEMBERED) kept.clear()
      for (const [sha256, prompt] of due) kept.set(sha256, prompt)
    },
  }
}

function isShared({ system, sharedSha256 }: NewCallTexts, kept: ReadonlyMap<string, KeptPrompt>): boolean {
  if (sharedSha256 === null) return false
  return kept.get(sharedSha256)?.text === system || hash('sha256', system) === sharedSha256
}

/** Column definitions for `jsonb_to_recordset` of those that are due. */
export const PROMPTS_RECORD = sql`sha256 text, text text`
/** Head of every statement that keeps them, as `p`; its FROM follows, then `ON_PROMPT_KEPT`. */
export const INSERT_PROMPTS = sql`
    INSERT INTO system_prompts (sha256, text, used_at)
    SELECT decode(p.sha256, 'hex'), p.text, now()`
/** In one order, so that two processes that keep the same ones do not wait for each other in a ring. */
export const ON_PROMPT_KEPT = sql`
    ORDER BY p.sha256 ON CONFLICT (sha256) DO UPDATE SET used_at = excluded.used_at`

/** Call it when no row of `model_call_texts` is older than so many days. */
export async function removeOldSystemPrompts(database: Database, days: number): Promise<void> {
  await database.query(REMOVE, [days])
}

const REMOVE = {
  name: 'system-prompts.remove',
  text: `DELETE FROM system_prompts WHERE used_at < now() - ($1::float8 + 1) * interval '1 day'`,
}
