/**
 * What goes for its age by settings of its own and not by `[retention]`, counted as its jobs would remove it: the audit
 * (src/audit), what was said in model calls, and published files.
 */
import { STATEMENT_TIMEOUT_MS, type Database, type Statement } from '../database.ts'

/** What must be older than that to go. */
export interface SettingsCuts {
  /** Null: it is kept for ever. Of whole days, as it is sealed. */
  readonly audit: Date | null
  readonly prompts: Date
  /** Each has the end that it was published with; `published` asks as if all had been published with another. */
  readonly files: { readonly expired: Date } | { readonly published: Date }
}

/** How much of a kind is older than that. */
export interface CountedBySettings {
  readonly kind: 'audit' | 'prompts' | 'files'
  readonly before: Date
  readonly count: number
}

/** Of the audit whole seals go, to the last one of the last day that is old enough. */
const COUNT: Statement = {
  name: 'retention.count-by-settings',
  text: `SELECT
      (SELECT count(*)::int FROM audit_entries e WHERE (e.txid, e.pos) <=
        (SELECT s.txid, s.pos FROM audit_seals s WHERE s.day < $1::date ORDER BY s.n DESC LIMIT 1)) AS audit,
      (SELECT count(*)::int FROM model_call_texts WHERE at < $2::timestamptz) AS prompts,
      (SELECT count(*)::int FROM published_files
        WHERE expires_at <= $3::timestamptz OR created_at < $4::timestamptz) AS files`,
  timeoutMs: STATEMENT_TIMEOUT_MS,
}

/** Kind by kind, in one statement; the audit is left out where it is kept for ever. */
export async function countAgedBySettings(
  database: Database,
  { audit, prompts, files }: SettingsCuts,
): Promise<readonly CountedBySettings[]> {
  const expired = 'expired' in files ? files.expired : null
  const published = 'published' in files ? files.published : null
  const values = [audit?.toISOString().slice(0, 10) ?? null, prompts, expired, published]
  const [row] = await database.query<Record<CountedBySettings['kind'], number>>(COUNT, values)
  const counted = (kind: CountedBySettings['kind'], before: Date): CountedBySettings => ({
    kind,
    before,
    count: row?.[kind] ?? 0,
  })
  return [
    ...(audit === null ? [] : [counted('audit', audit)]),
    counted('prompts', prompts),
    counted('files', 'expired' in files ? files.expired : files.published),
  ]
}
