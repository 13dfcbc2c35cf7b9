/** The figures of the process itself cost it a hundred timers a second: a server that is not asked has none. */
import { expect, test } from 'vitest'
import { createMetrics } from '../../src/platform/metrics.ts'

const EVENT_LOOP = /^nodejs_eventloop_lag_p99_seconds (\S+)$/m

test('the event loop is measured from when its figures are first asked for, and the first answer has them', async () => {
  const { registry } = createMetrics()
  const before = registry.getMetricsAsArray().map(({ name }) => name)
  const [shown, alike] = await Promise.all([registry.metrics(), registry.metrics()])
  const again = await registry.metrics()

  expect(before).not.toContain('nodejs_eventloop_lag_p99_seconds')
  expect(before).toContain('factotum_http_requests_total')
  for (const text of [shown, alike, again]) {
    expect(Number(EVENT_LOOP.exec(text)?.[1])).toBeGreaterThanOrEqual(0)
    expect(text).toMatch(/^process_resident_memory_bytes [1-9]/m)
    expect(text).toContain('# TYPE factotum_http_requests_total counter')
  }
})

test('a collector that reads them gets them, too', async () => {
  const names = (await createMetrics().registry.getMetricsAsJSON()).map(({ name }) => name)

  expect(names).toContain('nodejs_eventloop_lag_p99_seconds')
  expect(names).toContain('process_cpu_seconds_total')
})
