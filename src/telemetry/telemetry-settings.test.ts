import { expect, test } from 'vitest'
import { readTelemetrySettings } from './telemetry-settings.ts'

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }

test.each([
  {},
  { OTEL_EXPORTER_OTLP_ENDPOINT: '' },
  { OTEL_SERVICE_NAME: 'agents', OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' },
  { ...ENDPOINT, OTEL_SDK_DISABLED: 'TRUE' },
  { ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none' },
])('%j: there is no collector', (env) => {
  expect(readTelemetrySettings(env)).toBeNull()
})

test('an endpoint is enough', () => {
  expect(readTelemetrySettings(ENDPOINT)).toEqual({
    traces: { protocol: 'http/protobuf', url: 'http://127.0.0.1:4318/v1/traces' },
    metrics: { protocol: 'http/protobuf', url: 'http://127.0.0.1:4318/v1/metrics' },
    sampler: { share: 1, followsParent: true },
    spanDelayMs: 5000,
    maxQueuedSpans: 2048,
    metricIntervalMs: 60_000,
    problems: [],
  })
})

test('each signal has an endpoint and a protocol of its own', () => {
  const url = 'http://127.0.0.1:4318/as/it/stands'
  const env = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url }
  expect(readTelemetrySettings(env)).toMatchObject({ traces: { protocol: 'http/protobuf', url }, metrics: null })
  expect(
    readTelemetrySettings({
      ...ENDPOINT,
      OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: 'http/json',
      OTEL_TRACES_EXPORTER: 'none',
    }),
  ).toMatchObject({ traces: null, metrics: { protocol: 'http/json' } })
})

test('what cannot be obeyed is told, and the server runs without it', () => {
  const settings = readTelemetrySettings({
    ...ENDPOINT,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    OTEL_TRACES_SAMPLER: 'jaeger_remote',
    OTEL_METRIC_EXPORT_INTERVAL: '-5',
  })
  expect(settings).toMatchObject({ traces: null, metrics: null, sampler: { share: 1 }, metricIntervalMs: 60_000 })
  expect(settings?.problems.join('\n')).toMatch(/"grpc"[^]*"grpc"[^]*"jaeger_remote"[^]*"-5"/)
})

test('a share of the traces', () => {
  const env = { ...ENDPOINT, OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.25' }
  expect(readTelemetrySettings(env)?.sampler).toEqual({ share: 0.25, followsParent: false })
  expect(readTelemetrySettings({ ...env, OTEL_TRACES_SAMPLER_ARG: '2' })?.problems).toHaveLength(1)
})
