/** Opens the way to a collector of OpenTelemetry, where the environment names one. Called once, by open-figures.ts. */
import type { Registry } from 'prom-client'
import { reasonOf } from '../platform/error-code.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import { readTelemetrySettings, type Environment } from './telemetry-settings.ts'
import { NO_TRACING, type Tracing } from './tracing.ts'

export interface TelemetryOptions {
  readonly environment: Environment
  /** What /metrics shows is sent, too. */
  readonly registry: Pick<Registry, 'getMetricsAsJSON'>
  /** Takes secrets out of what is sent. */
  readonly redact: (text: string) => string
  readonly version: string
  /** That of this machine. */
  readonly clock: Clock
  readonly logger: Logger
}

/** Never rejects: without a collector, or with settings that cannot be obeyed, the server works as it does without. */
export async function openTelemetry(options: TelemetryOptions): Promise<Tracing> {
  const settings = readTelemetrySettings(options.environment)
  if (settings === null) return NO_TRACING
  const { logger } = options
  for (const problem of settings.problems) logger.warn(`OpenTelemetry: ${problem}`)
  const { traces, metrics } = settings
  if (traces === null && metrics === null) return NO_TRACING
  try {
    // The packages of OpenTelemetry are loaded here, and nowhere else.
    const { startSdk } = await import('./sdk/start-sdk.ts')
    const tracing = startSdk(settings, options)
    logger.info({ traces: traces?.protocol, metrics: metrics?.protocol }, 'telemetry is sent to a collector')
    return tracing
  } catch (error) {
    logger.warn({ error: reasonOf(error) }, 'telemetry could not be started; nothing is sent to a collector')
    return NO_TRACING
  }
}
