/** What an app is made with; each part of it takes what it uses. */
import type { Timing } from './config/timing.ts'
import type { Clock } from './platform/clock.ts'
import type { LogLines } from './platform/log-lines.ts'
import type { Logger } from './platform/logger.ts'
import type { ResolvedDatabase } from './store/connection/resolve-database.ts'

export interface AppOptions {
  /** FACTOTUM_HOME, prepared (src/config/home/factotum-home.ts). */
  readonly home: string
  readonly host: string
  /** 0: any free one. */
  readonly port: number
  /** Called once. The app stops what it resolves to when it is closed; what it rejects with, the start does, too. */
  readonly openDatabase: () => Promise<ResolvedDatabase>
  /** How many connections to it the process opens at most; at least `FEWEST_CONNECTIONS`. */
  readonly databaseConnections: number
  /** For the keys of providers and for proxies. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly production: boolean
  readonly timing: Timing
  readonly clock: Clock
  readonly logger: Logger
  /** Those of `logger`, so that they hold no secret. */
  readonly logLines: LogLines
  /** Aborts when the process is to stop: a start that waits is broken off. */
  readonly stopping: AbortSignal
  /** A copy that is only inspected: messages are taken, but no turn, schedule, job, post or plugin of it moves. */
  readonly paused?: boolean
}
