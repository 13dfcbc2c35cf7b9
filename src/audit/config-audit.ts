/**
 * Tells the audit of changes of the configuration, taken over or refused, and of secrets that were read again. Every
 * process of a server sees the same change: its entry has the same id in all of them, so it is stored once.
 */
import type { Config } from '../config/config.ts'
import { describeChange } from '../config/describe-change.ts'
import type { LiveConfigFile } from '../config/live-config.ts'
import type { ConfigChange } from '../core/audit-entry.ts'
import { reasonOf } from '../platform/error-code.ts'
import type { Clock } from '../platform/clock.ts'
import { sharedId } from '../platform/id.ts'
import type { Logger } from '../platform/logger.ts'
import { appendAudit } from '../store/audit-entries.ts'
import type { Database } from '../store/database.ts'

export interface ConfigAuditOptions {
  readonly database: Database
  readonly config: Pick<LiveConfigFile, 'current' | 'onChange' | 'onRefused'>
  /** Calls back with the names of the secrets when they were read again. */
  readonly onSecretsReloaded: (listener: (names: readonly string[]) => void) => () => void
  /** What must not be written. */
  readonly hideSecrets: (text: string) => string
  readonly clock: Clock
  readonly logger: Logger
}

const MAX_DETAIL = 2000
/** Processes that see the same within this time see the same change. */
const SAME_WITHIN_MS = 10_000

export class ConfigAudit {
  readonly #options: ConfigAuditOptions
  readonly #cleanups: (() => void)[] = []
  #writing: Promise<void> = Promise.resolve()

  constructor(options: ConfigAuditOptions) {
    this.#options = options
  }

  start(): void {
    const { config, onSecretsReloaded } = this.#options
    let before: Config = config.current()
    this.#cleanups.push(
      config.onChange((after) => {
        const change = describeChange(before, after)
        before = after
        if (change.length > 0) this.#record('RELOADED', `${change.join('; ')}.`)
      }),
      config.onRefused((reason) => this.#record('REFUSED', reason)),
      onSecretsReloaded((names) => this.#record('SECRETS_RELOADED', `In .env: ${names.join(', ') || 'none'}.`)),
    )
  }

  async stop(): Promise<void> {
    for (const cleanup of this.#cleanups.splice(0)) cleanup()
    await this.#writing
  }

  #record(change: ConfigChange, text: string): void {
    const { clock, hideSecrets } = this.#options
    const at = clock.now()
    const whole = hideSecrets(text)
    const detail = whole.length > MAX_DETAIL ? `${whole.slice(0, MAX_DETAIL).toWellFormed()}…` : whole
    const id = sharedId('audit', { at, withinMs: SAME_WITHIN_MS, seed: `${change} ${detail}` })
    const nobody = { sessionId: null, turnId: null, actor: null, tokenName: null }
    const entry = { id, at, ...nobody, body: { kind: 'CONFIG', change, detail } } as const
    this.#writing = this.#writing.then(() => this.#write(entry))
  }

  async #write(entry: Parameters<typeof appendAudit>[1][number]): Promise<void> {
    const { database, logger } = this.#options
    try {
      await appendAudit(database, [entry])
    } catch (error) {
      logger.error({ error: reasonOf(error), entry }, 'a change of the configuration could not be written to the audit')
    }
  }
}
