/**
 * The figures of /metrics for a collector: read from the registry that /metrics shows when they are sent, under the
 * same names, so that there is one definition of each. Cumulative, as Prometheus counts.
 */
import { ValueType } from '@opentelemetry/api'
import { hrTime } from '@opentelemetry/core'
import { emptyResource } from '@opentelemetry/resources'
import {
  AggregationTemporality,
  DataPointType,
  type CollectionResult,
  type DataPoint,
  type Histogram,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics'
import type { MetricObject, MetricObjectWithValues, MetricValue, MetricValueWithName, Registry } from 'prom-client'

type ValuedMetric = MetricObjectWithValues<MetricValue<string>>
type Times = Pick<DataPoint<number>, 'startTime' | 'endTime'>

export class RegistryMetrics implements MetricProducer {
  readonly #registry: Pick<Registry, 'getMetricsAsJSON'>
  readonly #scope: { readonly name: string; readonly version: string }
  readonly #startTime = hrTime()

  constructor(
    registry: Pick<Registry, 'getMetricsAsJSON'>,
    scope: { readonly name: string; readonly version: string },
  ) {
    this.#registry = registry
    this.#scope = scope
  }

  async collect(): Promise<CollectionResult> {
    const shown: readonly ValuedMetric[] = await this.#registry.getMetricsAsJSON()
    const times = { startTime: this.#startTime, endTime: hrTime() }
    const metrics = shown.flatMap((one) => metricOf(one, times) ?? [])
    return {
      resourceMetrics: { resource: emptyResource(), scopeMetrics: [{ scope: this.#scope, metrics }] },
      errors: [],
    }
  }
}

/** Null: of a kind that there is none of. */
function metricOf(shown: ValuedMetric, times: Times): MetricData | null {
  const common = { descriptor: descriptorOf(shown), aggregationTemporality: AggregationTemporality.CUMULATIVE }
  switch (kindOf(shown)) {
    case 'counter':
      return { ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: pointsOf(shown, times) }
    case 'gauge':
      return { ...common, dataPointType: DataPointType.GAUGE, dataPoints: pointsOf(shown, times) }
    case 'histogram':
      return { ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints: histogramsOf(shown, times) }
    default:
      return null
  }
}

/** The package writes the words of its enumeration of numbers. */
function kindOf({ type }: MetricObject): string {
  return String(type)
}

function descriptorOf({ name, help }: MetricObject): MetricData['descriptor'] {
  return { name, description: help, unit: '', valueType: ValueType.DOUBLE }
}

function pointsOf({ values }: ValuedMetric, times: Times): DataPoint<number>[] {
  return values
    .filter(({ value }) => Number.isFinite(value))
    .map(({ value, labels }) => ({ ...times, value, attributes: attributesOf(labels) }))
}

/** Prometheus counts what is at most `le`; here each bucket has its own count. */
function histogramsOf({ name, values }: ValuedMetric, times: Times): DataPoint<Histogram>[] {
  const series = new Map<string, MetricValueWithName<string>[]>()
  for (const one of values as readonly MetricValueWithName<string>[]) {
    const { le: _, ...labels } = attributesOf(one.labels)
    const key = JSON.stringify(labels)
    series.set(key, [...(series.get(key) ?? []), one])
  }
  return [...series].map(([key, parts]) => ({
    ...times,
    attributes: JSON.parse(key) as Readonly<Record<string, string>>,
    value: histogramOf(name, parts),
  }))
}

function histogramOf(name: string, parts: readonly MetricValueWithName<string>[]): Histogram {
  const valueOf = (suffix: string): number =>
    parts.find(({ metricName }) => metricName === `${name}_${suffix}`)?.value ?? 0
  const upTo = parts.filter(({ metricName }) => metricName === `${name}_bucket`)
  const boundaries = upTo.map(({ labels }) => Number(attributesOf(labels)['le'])).filter((le) => Number.isFinite(le))
  const counts = upTo.map(({ value }, index) => value - (upTo[index - 1]?.value ?? 0))
  return { buckets: { boundaries, counts }, sum: valueOf('sum'), count: valueOf('count') }
}

function attributesOf(labels: MetricValue<string>['labels']): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, String(value)]))
}
