/**
 * What sends to a collector, by the protocol. Endpoints, headers and certificates it reads from the environment of the
 * process itself.
 */
import { OTLPMetricExporter as JsonMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto'
import { OTLPTraceExporter as JsonTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import type { PushMetricExporter } from '@opentelemetry/sdk-metrics'
import type { SpanExporter } from '@opentelemetry/sdk-trace'
import type { SignalSettings } from '../telemetry-settings.ts'

/** Left out: the environment says how long a request may take. */
interface ExporterOptions {
  readonly timeoutMillis?: number
}

export function spanExporter({ protocol }: SignalSettings, options: ExporterOptions = {}): SpanExporter {
  return protocol === 'http/json' ? new JsonTraceExporter(options) : new OTLPTraceExporter(options)
}

export function metricExporter({ protocol }: SignalSettings, options: ExporterOptions = {}): PushMetricExporter {
  return protocol === 'http/json' ? new JsonMetricExporter(options) : new OTLPMetricExporter(options)
}
