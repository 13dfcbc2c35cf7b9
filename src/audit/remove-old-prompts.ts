/** The other retention job: removes what was said in model calls after `prompt_retention_days`. */
import type { LiveConfig } from '../config/config.ts'
import type { Logger } from '../platform/logger.ts'
import type { Metrics } from '../platform/metrics.ts'
import type { Database } from '../store/database.ts'
import { removeOldCallTexts } from '../store/turn/model-call-texts.ts'
import { removeOldSystemPrompts } from '../store/turn/system-prompts.ts'

/** Every hour, as with the audit. */
export const REMOVE_OLD_PROMPTS = { name: 'remove-old-prompts', cron: '38 * * * *' } as const

interface PromptRetention {
  readonly database: Database
  readonly config: LiveConfig
  readonly logger: Logger
  readonly metrics: Pick<Metrics, 'retentionRemoved'>
}

/** In short statements; ends early when `signal` aborts. With a retention of 0 all of them go. */
export async function removeOldPrompts(
  { database, config, logger, metrics }: PromptRetention,
  signal: AbortSignal,
): Promise<void> {
  const days = config.current().settings.promptRetentionDays
  let removed = 0
  while (!signal.aborted) {
    const some = await removeOldCallTexts(database, days)
    removed += some
    metrics.retentionRemoved.inc({ kind: 'prompts' }, some)
    if (some > 0) continue
    await removeOldSystemPrompts(database, days)
    break
  }
  if (removed > 0) logger.info({ calls: removed, days }, 'the oldest prompts were removed')
}
