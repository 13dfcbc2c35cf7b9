/** Makes the SDK as the environment says. By this file, and try-collector.ts, packages of OpenTelemetry are loaded. */
import { hostname } from 'node:os'
import type { Histogram } from '@opentelemetry/api'
import {
  detectResources,
  envDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
  type Resource,
} from '@opentelemetry/resources'
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type Sampler,
} from '@opentelemetry/sdk-trace'
import type { TelemetryOptions } from '../open-telemetry.ts'
import { MEASURES, type MeasureOf } from '../spans.ts'
import type { SamplerSettings, SignalSettings, TelemetrySettings } from '../telemetry-settings.ts'
import type { Tracing } from '../tracing.ts'
import { ChosenIds } from './chosen-ids.ts'
import { metricExporter, spanExporter } from './exporters.ts'
import { RegistryMetrics } from './registry-metrics.ts'
import { SdkTracing } from './sdk-tracing.ts'
import { ExportResultCode, type ExportResult } from '@opentelemetry/core'
import { reasonOf } from '../../platform/error-code.ts'
import type { Logger } from '../../platform/logger.ts'

const NAME = 'factotum'
/** What a collector that does not answer may keep the process from stopping. */
const STOP_MS = 2000

/** Throws for what the SDK cannot make of the environment. */
export function startSdk(settings: TelemetrySettings, options: TelemetryOptions): Tracing {
  const { version, redact, clock, logger } = options
  const resource = resourceOf(version)
  const watch = new CollectorWatch(logger)
  const ids = new ChosenIds()
  const sampler = settings.traces === null ? new AlwaysOffSampler() : samplerOf(settings.sampler)
  const spanProcessors = settings.traces === null ? [] : [spanProcessor(settings, settings.traces, watch)]
  const tracers = new TracerProvider({ resource, sampler, idGenerator: ids, spanProcessors })
  const readers = settings.metrics === null ? [] : [metricReader(settings, settings.metrics, { watch, options })]
  const meters = new MeterProvider({ resource, readers })
  const stop = async (): Promise<void> => {
    const inTime = new AbortController()
    const sent = Promise.allSettled([tracers.shutdown(), meters.shutdown()])
    await Promise.race([sent, clock.sleep(STOP_MS, inTime.signal)])
    inTime.abort()
  }
  return new SdkTracing({
    tracer: tracers.getTracer(NAME, version),
    ids,
    sampler,
    histograms: histogramsOf(meters, version),
    clock,
    redact,
    stop,
  })
}

/** Not the arguments of the process or its owner: what is sent goes to others. */
function resourceOf(version: string): Resource {
  const own = { 'service.name': NAME, 'service.version': version, 'process.pid': process.pid, 'host.name': hostname() }
  const said = detectResources({ detectors: [serviceInstanceIdDetector, envDetector] })
  return resourceFromAttributes(own).merge(said)
}

function samplerOf({ share, followsParent }: SamplerSettings): Sampler {
  const root =
    share === 1 ? new AlwaysOnSampler() : share === 0 ? new AlwaysOffSampler() : new TraceIdRatioBasedSampler(share)
  return followsParent ? new ParentBasedSampler({ root }) : root
}

function spanProcessor(
  { spanDelayMs, maxQueuedSpans }: TelemetrySettings,
  traces: SignalSettings,
  watch: CollectorWatch,
): BatchSpanProcessor {
  return new BatchSpanProcessor({
    exporter: watch.watch(spanExporter(traces)),
    scheduledDelayMillis: spanDelayMs,
    maxQueueSize: maxQueuedSpans,
  })
}

function metricReader(
  { metricIntervalMs }: TelemetrySettings,
  metrics: SignalSettings,
  { watch, options }: { readonly watch: CollectorWatch; readonly options: TelemetryOptions },
): PeriodicExportingMetricReader {
  const { registry, version } = options
  return new PeriodicExportingMetricReader({
    exporter: watch.watch(metricExporter(metrics)),
    exportIntervalMillis: metricIntervalMs,
    metricProducers: [new RegistryMetrics(registry, { name: NAME, version })],
  })
}

function histogramsOf(meters: MeterProvider, version: string): Record<MeasureOf, Histogram> {
  const meter = meters.getMeter(NAME, version)
  const make = ({ name, unit, description, boundaries }: (typeof MEASURES)[MeasureOf]): Histogram =>
    meter.createHistogram(name, { unit, description, advice: { explicitBucketBoundaries: [...boundaries] } })
  return { modelDuration: make(MEASURES.modelDuration), modelTokens: make(MEASURES.modelTokens) }
}

interface Exporter<Sent> {
  export(sent: Sent, onResult: (result: ExportResult) => void): void
}

/**
 * Tells the log when a collector cannot be reached: once, and once when it can be again.
 * One for each collector; that of traces and that of metrics are mostly the same.
 */
class CollectorWatch {
  readonly #logger: Logger
  #isDown = false

  constructor(logger: Logger) {
    this.#logger = logger
  }

  /** Changes `exporter`, and returns it: it has other methods besides, which stay as they are. */
  watch<Sent, Watched extends Exporter<Sent>>(exporter: Watched & Exporter<Sent>): Watched {
    const send = exporter.export.bind(exporter)
    exporter.export = (sent: Sent, onResult) =>
      send(sent, (result) => {
        this.#note(result)
        onResult(result)
      })
    return exporter
  }

  #note({ code, error }: ExportResult): void {
    const isDown = code !== ExportResultCode.SUCCESS
    if (isDown === this.#isDown) return
    this.#isDown = isDown
    if (isDown)
      this.#logger.warn(
        { error: reasonOf(error) },
        'the collector takes no telemetry; what it misses is lost, and turns do not wait for it',
      )
    else this.#logger.info('the collector takes telemetry again')
  }
}
