/** Sends nothing to a collector, as the server would send something: `factotum doctor`. */
import { ExportResultCode, type ExportResult } from '@opentelemetry/core'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { messageOf } from '../../core/errors.ts'
import type { SignalSettings } from '../telemetry-settings.ts'
import { metricExporter, spanExporter } from './exporters.ts'

/** Each is tried again within that. */
const TRY = { timeoutMillis: 3000 }

/** Null: it takes traces. Otherwise why not. Never rejects. */
export function tryTraces(settings: SignalSettings): Promise<string | null> {
  return outcomeOf((done) => spanExporter(settings, TRY).export([], done))
}

/** The same for metrics. */
export function tryMetrics(settings: SignalSettings): Promise<string | null> {
  const nothing = { resource: resourceFromAttributes({}), scopeMetrics: [] }
  return outcomeOf((done) => metricExporter(settings, TRY).export(nothing, done))
}

async function outcomeOf(send: (done: (result: ExportResult) => void) => void): Promise<string | null> {
  try {
    const { code, error } = await new Promise<ExportResult>(send)
    return code === ExportResultCode.SUCCESS ? null : describe(error)
  } catch (error) {
    return describe(error) // such as a certificate that cannot be read
  }
}

/** A status of HTTP is all that the exporter says of some answers. */
function describe(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'number' ? `it answers ${code} (${messageOf(error)})` : messageOf(error)
}
