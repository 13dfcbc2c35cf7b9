/** Opens what operators see of the server: the figures of /metrics, and the way to a collector of OpenTelemetry. */
import type { AppOptions } from './app-options.ts'
import { createMetrics, type Metrics } from './platform/metrics.ts'
import { VERSION } from './platform/version.ts'
import type { SecretStore } from './secrets/secret-store.ts'
import { openTelemetry } from './telemetry/open-telemetry.ts'
import type { Tracing } from './telemetry/tracing.ts'
import type { Opened } from './opened.ts'

/** Its clock is that of this machine. */
type FiguresOptions = Pick<AppOptions, 'environment' | 'clock' | 'logger' | 'logLines'>

/** Spans and metrics go to a collector where the environment names one; then lines of the log say where they stand. */
export async function openFigures(
  { environment, clock, logger, logLines }: FiguresOptions,
  secrets: SecretStore,
  opened: Opened,
): Promise<{ readonly metrics: Metrics; readonly tracing: Tracing }> {
  const metrics = createMetrics()
  const { registry } = metrics
  const redact = (text: string): string => secrets.redactLine(text)
  const tracing = await openTelemetry({ environment, registry, redact, version: VERSION, clock, logger })
  if (tracing.isOn) logLines.trace = () => tracing.ids()
  opened.add('tracing', () => tracing.stop())
  return { metrics, tracing }
}
