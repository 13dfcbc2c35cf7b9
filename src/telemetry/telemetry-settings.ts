/**
 * What the environment says of a collector. Without an endpoint nothing is loaded. The SDK's exporters read the rest
 * themselves: endpoints, headers, timeouts, compression and certificates (`OTEL_EXPORTER_OTLP_…`).
 */

export type Environment = Readonly<Record<string, string | undefined>>

export interface SignalSettings {
  readonly protocol: 'http/protobuf' | 'http/json'
  /** Where it is sent. It may hold a password. */
  readonly url: string
}

export interface SamplerSettings {
  /** By `always_off`, `always_on`, or a share of the traces. */
  readonly share: number
  /** What a trace of the client's has decided, holds. */
  readonly followsParent: boolean
}

export interface TelemetrySettings {
  /** Null: none are sent. */
  readonly traces: SignalSettings | null
  readonly metrics: SignalSettings | null
  readonly sampler: SamplerSettings
  /** Milliseconds for which ended spans wait for others. */
  readonly spanDelayMs: number
  /** Ended spans that wait at most; further ones are left out. */
  readonly maxQueuedSpans: number
  readonly metricIntervalMs: number
  /** What is set and cannot be obeyed, for the log. */
  readonly problems: readonly string[]
}

/** Null: there is no collector. */
export function readTelemetrySettings(env: Environment): TelemetrySettings | null {
  if (env['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true') return null
  const problems: string[] = []
  const traces = signalOf(env, 'TRACES', problems)
  const metrics = signalOf(env, 'METRICS', problems)
  if (traces === null && metrics === null && problems.length === 0) return null
  const number = (name: string, otherwise: number): number => positive(env, { name, otherwise, problems })
  return {
    traces,
    metrics,
    sampler: samplerOf(env, problems),
    spanDelayMs: number('OTEL_BSP_SCHEDULE_DELAY', 5000),
    maxQueuedSpans: number('OTEL_BSP_MAX_QUEUE_SIZE', 2048),
    metricIntervalMs: number('OTEL_METRIC_EXPORT_INTERVAL', 60_000),
    problems,
  }
}

function signalOf(env: Environment, signal: 'TRACES' | 'METRICS', problems: string[]): SignalSettings | null {
  const url = urlOf(env, signal)
  if (url === null || env[`OTEL_${signal}_EXPORTER`]?.trim() === 'none') return null
  const name = env[`OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`]
    ? `OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`
    : 'OTEL_EXPORTER_OTLP_PROTOCOL'
  const protocol = env[name]?.trim() || 'http/protobuf'
  if (!URL.canParse(url)) {
    problems.push(`the endpoint for ${signal.toLowerCase()} is no URL; none are sent`)
    return null
  }
  if (protocol === 'http/protobuf' || protocol === 'http/json') return { protocol, url }
  problems.push(
    `${name} is "${protocol}", but "http/protobuf" and "http/json" are what is spoken; no ${signal.toLowerCase()} are sent`,
  )
  return null
}

/** As the exporters read it: one for both is that of the collector, one for a signal is taken as it stands. */
function urlOf(env: Environment, signal: 'TRACES' | 'METRICS'): string | null {
  const own = env[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`]?.trim()
  if (own) return own
  const both = env['OTEL_EXPORTER_OTLP_ENDPOINT']?.trim()
  return both ? `${both.replace(/\/$/, '')}/v1/${signal.toLowerCase()}` : null
}

const PARENT_BASED = 'parentbased_'

function samplerOf(env: Environment, problems: string[]): SamplerSettings {
  const name = env['OTEL_TRACES_SAMPLER']?.trim() || 'parentbased_always_on'
  const followsParent = name.startsWith(PARENT_BASED)
  const root = followsParent ? name.slice(PARENT_BASED.length) : name
  if (root === 'always_on') return { share: 1, followsParent }
  if (root === 'always_off') return { share: 0, followsParent }
  if (root === 'traceidratio') return { share: shareOf(env, problems), followsParent }
  problems.push(`OTEL_TRACES_SAMPLER is "${name}", which is not known; all traces are sent`)
  return { share: 1, followsParent: true }
}

function shareOf(env: Environment, problems: string[]): number {
  const text = env['OTEL_TRACES_SAMPLER_ARG']?.trim() || '1'
  const share = Number(text)
  if (share >= 0 && share <= 1) return share
  problems.push(`OTEL_TRACES_SAMPLER_ARG is "${text}", but must be a number from 0 to 1; all traces are sent`)
  return 1
}

interface Wanted {
  readonly name: string
  readonly otherwise: number
  readonly problems: string[]
}

function positive(env: Environment, { name, otherwise, problems }: Wanted): number {
  const text = env[name]?.trim()
  if (!text) return otherwise
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  problems.push(`${name} is "${text}", but must be a whole number above 0; ${otherwise} holds`)
  return otherwise
}
