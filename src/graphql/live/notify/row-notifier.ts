/**
 * Which facts, learnings, proposals, questions, deliveries and plugins changed, for the subscriptions to them, all of
 * them admins': each at most four times a second, whichever process made the change.
 */
import type { Doorbell } from '../../../events/doorbell.ts'
import type { Clock } from '../../../platform/clock.ts'
import { idKind } from '../../../platform/id.ts'
import type { Logger } from '../../../platform/logger.ts'
import type { Database } from '../../../store/database.ts'
import { readThere, type WatchedKind } from '../../../store/rows-there.ts'
import { ChangeNotifier } from './change-notifier.ts'

const PAUSE_MS = 250

export interface RowNotifierOptions {
  readonly database: Database
  readonly doorbell: Doorbell
  readonly clock: Clock
  readonly logger: Logger
}

/** Watchers follow one kind; the kind is also what is read and notified together. */
export type RowNotifier = ChangeNotifier<WatchedKind>

export function createRowNotifier({ database, doorbell, clock, logger }: RowNotifierOptions): RowNotifier {
  return new ChangeNotifier<WatchedKind>({
    doorbell,
    logger,
    subject: 'rows',
    listen: (note) =>
      doorbell.on('row', ({ id }) => {
        const kind = idKind(id)
        if (isWatchedKind(kind)) note({ id, group: kind })
      }),
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

const WATCHED: ReadonlySet<string | null> = new Set<WatchedKind>([
  'fact',
  'learning',
  'question',
  'delivery',
  'plugin',
  'proposal',
])

function isWatchedKind(kind: string | null): kind is WatchedKind {
  return WATCHED.has(kind)
}
