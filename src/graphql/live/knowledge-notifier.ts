/**
 * Which facts and learnings changed, for `factUpdates` and `learningUpdates`: each at most four times a second, whether
 * an admin or a turn made the change. When notifications may have been missed, what changed lately is notified again.
 */
import type { Doorbell } from '../../events/doorbell.ts'
import type { Clock } from '../../platform/clock.ts'
import { idKind } from '../../platform/id.ts'
import type { Logger } from '../../platform/logger.ts'
import type { Database } from '../../store/database.ts'
import { readChangedSince, readThere, type WatchedKind } from '../../store/knowledge/knowledge-changes.ts'
import { ChangeNotifier } from './change-notifier.ts'

const PAUSE_MS = 250
/** When notifications may have been missed: what changed this lately is notified again. */
const LOOK_BACK_MS = 60_000

export interface KnowledgeNotifierOptions {
  readonly database: Database
  readonly doorbell: Doorbell
  readonly clock: Clock
  readonly logger: Logger
}

/** Watchers follow one kind; the kind is also what is read and notified together. */
export type KnowledgeNotifier = ChangeNotifier<WatchedKind>

export function createKnowledgeNotifier({
  database,
  doorbell,
  clock,
  logger,
}: KnowledgeNotifierOptions): KnowledgeNotifier {
  return new ChangeNotifier<WatchedKind>({
    doorbell,
    logger,
    subject: 'knowledge',
    listen: (note) =>
      doorbell.on('knowledge', ({ id }) => {
        const kind = idKind(id)
        if (isWatchedKind(kind)) note({ id, group: kind })
      }),
    readMissed: async (limit, kinds) => {
      const since = new Date(clock.now().getTime() - LOOK_BACK_MS)
      const missed = await Promise.all(
        [...kinds].map(async (kind) => {
          const ids = await readChangedSince(database, kind, { since, limit })
          return ids.map((id) => ({ id, group: kind }))
        }),
      )
      return missed.flat()
    },
    // What a notification speaks of need not have come about: a turn's decision about a learning that an admin had
    // decided.
    notify: async (group, ids, watchers) => {
      const wanted = [...watchers].filter(([, kind]) => kind === group)
      if (wanted.length === 0 || !isWatchedKind(group)) return
      const there = await readThere(database, group, ids)
      for (const [watcher] of wanted) for (const id of there) watcher.add(id)
    },
    parallel: 1,
    pause: () => clock.sleep(PAUSE_MS),
  })
}

function isWatchedKind(kind: string | null): kind is WatchedKind {
  return kind === 'fact' || kind === 'learning'
}
