/**
 * The retention job: removes the audit of days that are older than `audit_retention_days`, oldest first. It removes
 * whole seals with their entries, in one statement each time, and keeps the last seal that it removed the entries of,
 * together with an entry that names it: from there the chain is followed (verify-audit.ts). A trigger refuses every
 * other deletion.
 */
import type { LiveConfig } from '../config/config.ts'
import { newId } from '../platform/id.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import type { Metrics } from '../platform/metrics.ts'
import { INSERT_AUDIT } from '../store/audit-entries.ts'
import { STATEMENT_TIMEOUT_MS, type Database } from '../store/database.ts'
import { SEAL_COLUMNS, type Seal } from './seal-rows.ts'

/** Every hour: a server that is not up at night keeps its audit no longer than others. */
export const REMOVE_OLD_AUDIT = { name: 'remove-old-audit', cron: '23 * * * *' } as const

export interface RetentionOptions {
  readonly database: Database
  readonly config: LiveConfig
  readonly clock: Clock
  readonly logger: Logger
  readonly metrics: Pick<Metrics, 'retentionRemoved'>
}

const DAY_MS = 86_400_000
/** Entries that one statement removes, unless a single seal has more. */
const MAX_ENTRIES = 50_000
const MAX_SEALS = 5000

const OLDEST_SEALS = {
  name: 'audit.oldest-seals',
  text: `SELECT ${SEAL_COLUMNS} FROM audit_seals s WHERE s.day < $1::date ORDER BY s.n LIMIT ${MAX_SEALS}`,
}

const REMOVE = {
  name: 'audit.remove',
  text: `WITH retention AS MATERIALIZED (SELECT set_config('factotum.retention', 'on', true)),
    entries AS (
      DELETE FROM audit_entries e USING retention WHERE (e.txid, e.pos) <= ($2::bigint, $3::bigint) RETURNING e.id),
    seals AS (DELETE FROM audit_seals s USING retention WHERE s.n < $1 RETURNING s.n),
    told AS (
      ${INSERT_AUDIT}
      SELECT $4, $5, 'CONFIG', NULL, NULL, 'retention', NULL, jsonb_build_object('change', 'AUDIT_REMOVED', 'detail', $6::text)
      WHERE EXISTS (SELECT 1 FROM entries))
    SELECT count(*)::int AS removed FROM entries`,
  timeoutMs: STATEMENT_TIMEOUT_MS,
}

/** Ends early, at a good place, when `signal` aborts. */
export async function removeOldAudit(options: RetentionOptions, signal: AbortSignal): Promise<void> {
  const { config, clock, logger, metrics } = options
  const days = config.current().settings.auditRetentionDays
  if (days === 0) return
  const firstKept = new Date(clock.now().getTime() - days * DAY_MS).toISOString().slice(0, 10)
  let removed = 0
  for (let some = -1; some !== 0 && !signal.aborted; removed += some) {
    some = await removeSome(options, firstKept)
    metrics.retentionRemoved.inc({ kind: 'audit' }, some)
  }
  if (removed > 0) logger.info({ entries: removed, before: firstKept }, 'the oldest entries of the audit were removed')
}

async function removeSome({ database, config, clock }: RetentionOptions, firstKept: string): Promise<number> {
  const seals = await database.query<Seal>(OLDEST_SEALS, [firstKept])
  const last = lastToRemove(seals)
  if (last === null) return 0
  const { n, day, txid, pos, hash } = last
  const days = config.current().settings.auditRetentionDays
  const detail = `entries up to ${day}, seal ${n} (${hash.toString('hex')}), after ${days} days`
  const values = [n, txid, pos, newId('audit'), clock.now(), detail]
  const [row] = await database.query<{ removed: number }>(REMOVE, values)
  return row?.removed ?? 0
}

/** The first seal may be one whose entries are gone: the second is taken in any case. */
function lastToRemove(seals: readonly Seal[]): Seal | null {
  let entries = 0
  const end = seals.findIndex((seal, index) => (entries += seal.entries) > MAX_ENTRIES && index > 1)
  return seals[end === -1 ? seals.length - 1 : end - 1] ?? null
}
