/** /health, /ready and /metrics: for load balancers, operators and Prometheus. They need no token and tell no secrets. */
import type { ServerResponse } from 'node:http'
import type { Clock } from '../platform/clock.ts'
import type { Metrics } from '../platform/metrics.ts'
import { reportReadiness, type Readiness } from './readiness.ts'

export interface ProbesOptions {
  readonly readiness: Readiness
  readonly metrics: Metrics
  readonly clock: Clock
}

/** Whether `path` was one of them; then it is answered. */
export async function answerProbe(path: string, response: ServerResponse, options: ProbesOptions): Promise<boolean> {
  const { readiness, metrics, clock } = options
  switch (path) {
    case '/health':
      sendJson(response, 200, { status: 'ok' })
      return true
    case '/ready': {
      const report = await reportReadiness(readiness, clock)
      sendJson(response, report.ready ? 200 : 503, report)
      return true
    }
    case '/metrics':
      response.writeHead(200, { 'content-type': metrics.registry.contentType }).end(await metrics.registry.metrics())
      return true
    default:
      return false
  }
}

export function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(`${JSON.stringify(body)}\n`)
}
