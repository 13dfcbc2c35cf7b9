/** A collector of OpenTelemetry that keeps what it is sent: OTLP over HTTP in JSON, as the SDK writes it. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { Arrivals } from '../harness/arrivals.ts'

interface OtlpValue {
  readonly stringValue?: string
  readonly intValue?: number | string
  readonly doubleValue?: number
  readonly boolValue?: boolean
  readonly arrayValue?: { readonly values: readonly OtlpValue[] }
}
type OtlpAttributes = readonly { readonly key: string; readonly value: OtlpValue }[]

interface OtlpSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: OtlpAttributes
  readonly status: { readonly code: number; readonly message?: string }
}

interface OtlpPoint {
  readonly attributes: OtlpAttributes
  readonly asDouble?: number
  readonly count?: number | string
  readonly sum?: number
  readonly bucketCounts?: readonly (number | string)[]
  readonly explicitBounds?: readonly number[]
}
interface OtlpMetric {
  readonly name: string
  readonly unit: string
  readonly sum?: { readonly dataPoints: readonly OtlpPoint[] }
  readonly gauge?: { readonly dataPoints: readonly OtlpPoint[] }
  readonly histogram?: { readonly dataPoints: readonly OtlpPoint[] }
}

interface OtlpBody {
  readonly resourceSpans?: readonly {
    readonly resource: { readonly attributes: OtlpAttributes }
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[]
  }[]
  readonly resourceMetrics?: readonly {
    readonly scopeMetrics: readonly { readonly metrics: readonly OtlpMetric[] }[]
  }[]
}

type Value = string | number | boolean | readonly Value[]
type Attributes = Readonly<Record<string, Value>>

export interface CollectedSpan {
  readonly traceId: string
  readonly spanId: string
  /** Null: it begins its trace. */
  readonly parent: string | null
  readonly name: string
  readonly durationMs: number
  readonly attributes: Attributes
  readonly isError: boolean
  /** Of the process that sent it. */
  readonly resource: Attributes
}

export interface CollectedPoint {
  readonly name: string
  readonly attributes: Attributes
  readonly value: number | null
  readonly histogram: { readonly count: number; readonly sum: number; readonly bucketCounts: readonly number[] } | null
}

export class Collector implements AsyncDisposable {
  readonly spans = new Arrivals<CollectedSpan>()
  readonly points = new Arrivals<CollectedPoint>()
  /** All that came, as it came. */
  readonly bodies: { readonly path: string; readonly type: string; readonly bytes: Buffer }[] = []
  /** What is answered. */
  status = 200
  readonly #server = createServer((request, response) => void this.#take(request, response))

  static async start(): Promise<Collector> {
    const collector = new Collector()
    await once(collector.#server.listen(0, '127.0.0.1'), 'listening')
    return collector
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** What a server is given to send here, soon and in JSON. */
  get environment(): Record<string, string> {
    return {
      OTEL_EXPORTER_OTLP_ENDPOINT: this.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '50',
      OTEL_METRIC_EXPORT_INTERVAL: '200',
    }
  }

  /** Those of one trace. */
  trace(traceId: string): readonly CollectedSpan[] {
    return this.spans.all.filter((span) => span.traceId === traceId)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise<void>((resolve) => void this.#server.close(() => resolve()))
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const bytes = await buffer(request)
    const type = request.headers['content-type'] ?? ''
    this.bodies.push({ path: request.url ?? '', type, bytes })
    response.writeHead(this.status, { 'content-type': type }).end(type === 'application/json' ? '{}' : '')
    if (type !== 'application/json') return
    const { resourceSpans = [], resourceMetrics = [] } = JSON.parse(bytes.toString()) as OtlpBody
    for (const { resource, scopeSpans } of resourceSpans)
      for (const span of scopeSpans.flatMap(({ spans }) => spans))
        this.spans.add(spanOf(span, attributesOf(resource.attributes)))
    for (const metric of resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics).flatMap(({ metrics }) => metrics))
      for (const point of pointsOf(metric)) this.points.add(point)
  }
}

function spanOf(span: OtlpSpan, resource: Attributes): CollectedSpan {
  const { traceId, spanId, parentSpanId = '', name, attributes, status } = span
  return {
    traceId,
    spanId,
    parent: parentSpanId === '' ? null : parentSpanId,
    name,
    durationMs: Number((BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano)) / 1_000_000n),
    attributes: attributesOf(attributes),
    isError: status.code === 2,
    resource,
  }
}

function pointsOf({ name, sum, gauge, histogram }: OtlpMetric): CollectedPoint[] {
  const plain = [...(sum?.dataPoints ?? []), ...(gauge?.dataPoints ?? [])].map(({ attributes, asDouble = 0 }) => {
    return { name, attributes: attributesOf(attributes), value: asDouble, histogram: null }
  })
  const spread = (histogram?.dataPoints ?? []).map(({ attributes, count, sum: total = 0, bucketCounts = [] }) => {
    const counted = { count: Number(count), sum: total, bucketCounts: bucketCounts.map(Number) }
    return { name, attributes: attributesOf(attributes), value: null, histogram: counted }
  })
  return [...plain, ...spread]
}

function attributesOf(attributes: OtlpAttributes): Attributes {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, valueOf(value)]))
}

function valueOf({ stringValue, intValue, doubleValue, boolValue, arrayValue }: OtlpValue): Value {
  if (arrayValue !== undefined) return arrayValue.values.map(valueOf)
  return stringValue ?? boolValue ?? doubleValue ?? Number(intValue)
}
