/**
 * The retention job: what is older than `[retention]` allows goes, kind by kind, of the sessions that are due, in short
 * transactions of their own (src/store/retention). What a run does not come to, the next one finds.
 */
import type { LiveConfig } from '../config/config.ts'
import { RETENTION_KINDS, type Retention, type RetentionKind } from '../config/schema/retention.ts'
import type { Feed } from '../events/feed.ts'
import { removeSetAside, setAsideWorkspace, hasWorkspace } from '../execution/workspace/set-aside-workspace.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import type { Metrics } from '../platform/metrics.ts'
import type { Database } from '../store/database.ts'
import { findAged } from '../store/retention/aged-rows.ts'
import { dueSessions, planNextCheck, rulesOf } from '../store/retention/due-sessions.ts'
import {
  forgetUploads,
  removeAged,
  auditRemoved,
  withUploads,
  type Aged,
  type Removed,
} from '../store/retention/remove-aged.ts'

/** Every hour, so that a server that is not up at night keeps nothing for longer than others. */
export const REMOVE_OLD = { name: 'remove-old', cron: '52 * * * *' } as const

export interface RemoveOldOptions {
  readonly database: Database
  readonly home: string
  readonly config: LiveConfig
  readonly feed: Pick<Feed, 'trimmed'>
  readonly clock: Clock
  readonly logger: Logger
  readonly metrics: Metrics
}

/** Sessions that are checked in one statement. */
export const PAGE = 200
const DAY_MS = 86_400_000
/** Turns first: what goes with them need not be found by itself. */
const ORDER: readonly RetentionKind[] = ['turns', 'messages', 'outputs', 'events', 'deliveries', 'workspaces']

/** What of a kind must be older than that to go. */
export interface Cut {
  readonly kind: RetentionKind
  readonly before: Date
}

/** Of the kinds that are removed at all. */
export function cutsOf(retention: Retention, now: Date): readonly Cut[] {
  return ORDER.filter((kind) => retention[kind] > 0).map((kind) => {
    return { kind, before: new Date(now.getTime() - retention[kind] * DAY_MS) }
  })
}

/**
 * Ends early when `signal` aborts, or when another process is at it. Repeatable; rejects when the database or the disk
 * fails, and the next run goes on.
 */
export async function removeOld(options: RemoveOldOptions, signal: AbortSignal): Promise<void> {
  const { database, config, clock, logger } = options
  const { retention } = config.current()
  const at = clock.now()
  const cuts = cutsOf(retention, at)
  const rules = rulesOf(retention)
  if (cuts.length === 0) return
  const removed = new Map<RetentionKind, number>()
  try {
    while (!signal.aborted) {
      const ids = await dueSessions(database, { rules, at, limit: PAGE })
      if (ids.length === 0) return
      for (const { kind, before } of cuts) {
        for (const sessionId of await findIn(options, kind, { ids, before })) {
          const count = await removeFrom(options, kind, { sessionId, before, signal })
          if (count === null || signal.aborted) return
          removed.set(kind, (removed.get(kind) ?? 0) + count)
        }
      }
      await planNextCheck(database, { ids, at, retention })
    }
  } finally {
    const counts = Object.fromEntries(RETENTION_KINDS.map((kind) => [kind, removed.get(kind) ?? 0]))
    if (Object.values(counts).some((count) => count > 0))
      logger.info(counts, 'what was older than [retention] allows was removed')
  }
}

/** The sessions that have something of this kind to remove. */
export async function findIn(
  { database, home }: Pick<RemoveOldOptions, 'database' | 'home'>,
  kind: RetentionKind,
  aged: { readonly ids: readonly string[]; readonly before: Date },
): Promise<readonly string[]> {
  const found = await findAged(database, kind, aged)
  if (kind !== 'workspaces' || found.length === 0) return found
  const uploaded = await withUploads(database, found)
  return found.filter((id) => uploaded.has(id) || hasWorkspace(home, id))
}

interface InSession {
  readonly sessionId: string
  readonly before: Date
  readonly signal: AbortSignal
}

/** How many rows went; null: another process is at it. */
async function removeFrom(
  options: RemoveOldOptions,
  kind: RetentionKind,
  { signal, ...session }: InSession,
): Promise<number | null> {
  const { clock, feed, metrics } = options
  for (let count = 0; ;) {
    const removed = await removeSome(options, kind, { ...session, at: clock.now() })
    if (removed === null) return null
    count += removed.count
    metrics.retentionRemoved.inc({ kind }, removed.count)
    if (removed.count > 0) feed.trimmed(session.sessionId, removed.upTo ?? 0)
    if (!removed.isMore || signal.aborted) return count
  }
}

function removeSome(options: RemoveOldOptions, kind: RetentionKind, aged: Aged): Promise<Removed | null> {
  return kind === 'workspaces' ? removeWorkspaceOf(options, aged) : removeAged(options.database, kind, aged)
}

/**
 * The folder goes out of the way while the session's row is locked, so that a message which comes now finds a new one.
 */
async function removeWorkspaceOf(
  { database, home, logger }: Pick<RemoveOldOptions, 'database' | 'home' | 'logger'>,
  aged: Aged,
): Promise<Removed | null> {
  const found = await database.transaction(async (transaction) => {
    const files = await forgetUploads(transaction, aged)
    if (files == null) return { files, aside: null }
    const aside = await setAsideWorkspace(home, aged.sessionId)
    await auditRemoved(transaction, aged, `workspaces: 1, with ${files} uploaded files`)
    return { files, aside }
  })
  if (found.aside !== null) await removeSetAside({ home, logger }, found.aside)
  if (found.files === null) return null
  return { count: found.files === undefined ? 0 : 1, upTo: null, isMore: false }
}
