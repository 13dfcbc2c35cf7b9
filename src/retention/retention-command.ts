/** `factotum retention --dry-run`: counts what would go, and says so on the console. Called by cli.ts. */
import type { RetentionAction } from '../config/command-line/retention-action.ts'
import type { Config } from '../config/config.ts'
import type { Retention } from '../config/schema/retention.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import { DatabaseClock } from '../store/connection/database-clock.ts'
import { Database } from '../store/database.ts'
import { countAged, pagesOfSessions } from '../store/retention/aged-rows.ts'
import { countAgedBySettings, type SettingsCuts } from '../store/retention/aged-by-settings.ts'
import { cutsOf, findIn, PAGE, type Cut } from './remove-old.ts'

export interface RetentionCommandOptions {
  readonly databaseUrl: string
  readonly home: string
  readonly config: Pick<Config, 'retention' | 'settings'>
  readonly clock: Clock
  readonly logger: Logger
  readonly print: (line: string) => void
}

const EVERY_MS = 1000
const DAY_MS = 86_400_000

/** Rejects with an AppError when the database cannot be read. */
export async function countOld({ days }: RetentionAction, options: RetentionCommandOptions): Promise<void> {
  const { databaseUrl, config, logger, print } = options
  const retention = days === null ? config.retention : keptFor(days)
  const database = new Database({ url: databaseUrl, maxConnections: 1, logger })
  try {
    const clock = await DatabaseClock.start({ database, clock: options.clock, logger })
    await clock.stop()
    const now = clock.now()
    const cuts = cutsOf(retention, now)
    const bySettings = await countAgedBySettings(database, settingsCuts(config.settings, { days, now }))
    for (const counted of [...(await countAll(cuts, { ...options, database })), ...bySettings]) print(lineOf(counted))
    if (cuts.length === 0)
      print('[retention] of config.toml sets nothing, so nothing else is removed. --days 90 shows what 90 days would.')
    print('Nothing was removed. Each kind is counted by itself: what goes with a turn is counted there, too.')
  } finally {
    await database.close()
  }
}

/** What goes by settings of its own, and not by `[retention]`: see src/store/retention/aged-by-settings.ts. */
function settingsCuts(
  { auditRetentionDays, promptRetentionDays }: Config['settings'],
  { days, now }: { readonly days: number | null; readonly now: Date },
): SettingsCuts {
  const before = (kept: number): Date => new Date(now.getTime() - kept * DAY_MS)
  return {
    audit: days === null && auditRetentionDays === 0 ? null : before(days ?? auditRetentionDays),
    prompts: before(days ?? promptRetentionDays),
    files: days === null ? { expired: now } : { published: before(days) },
  }
}

function lineOf({
  kind,
  before,
  count,
}: {
  readonly kind: string
  readonly before: Date
  readonly count: number
}): string {
  return `${kind.padEnd(12)} ${String(count).padStart(9)}  from before ${before.toISOString()}`
}

function keptFor(days: number): Retention {
  return { events: days, outputs: days, turns: days, messages: days, deliveries: days, workspaces: days }
}

interface Counting extends RetentionCommandOptions {
  readonly database: Database
}

async function countAll(cuts: readonly Cut[], options: Counting): Promise<readonly (Cut & { count: number })[]> {
  const { database, clock, print } = options
  const counts = cuts.map((cut) => ({ ...cut, count: 0 }))
  let sessions = 0
  let saidMs = clock.monotonicMs()
  for await (const ids of pagesOfSessions(database, PAGE)) {
    for (const counted of counts) counted.count += await countIn(counted, ids, options)
    sessions += ids.length
    if (clock.monotonicMs() - saidMs < EVERY_MS) continue
    saidMs = clock.monotonicMs()
    print(`… ${sessions} sessions`)
  }
  return counts
}

async function countIn({ kind, before }: Cut, ids: readonly string[], options: Counting): Promise<number> {
  const aged = { ids, before }
  if (kind === 'workspaces') return (await findIn(options, kind, aged)).length
  return countAged(options.database, kind, aged)
}
