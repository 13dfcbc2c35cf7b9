/**
 * /health, /ready and /metrics: for load balancers, operators and Prometheus. That the server is alive, and whether it
 * is ready, is public. What it runs on, what is broken and how busy it is, is for admins, and for clients of the
 * operators' own listener (`metrics_listen`).
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '../../platform/clock.ts'
import type { Metrics } from '../../platform/metrics.ts'
import type { CredentialOf } from '../login/credential.ts'
import type { Authenticate } from '../socket/connections.ts'
import { reportReadiness, type Readiness } from './readiness.ts'

export interface ProbesOptions {
  readonly readiness: Readiness
  readonly metrics: Metrics
  readonly clock: Clock
}

export interface Probe {
  readonly path: string
  readonly response: ServerResponse
  /** Whether who asks may be shown everything. */
  readonly isOperator: () => boolean
}

/** Whether `path` was one of them; then it is answered. */
export async function answerProbe({ path, response, isOperator }: Probe, options: ProbesOptions): Promise<boolean> {
  const { readiness, metrics, clock } = options
  switch (path) {
    case '/health':
      sendJson(response, 200, { status: 'ok' })
      return true
    case '/ready': {
      const { ready, checks } = await reportReadiness(readiness, clock)
      sendJson(response, ready ? 200 : 503, isOperator() ? { ready, checks } : { ready })
      return true
    }
    case '/metrics':
      if (isOperator()) await sendMetrics(response, metrics)
      else refuseMetrics(response)
      return true
    default:
      return false
  }
}

const FOR_ADMINS = 'Figures are for admins: send the token of one ("Authorization: Bearer <token>").'

/** How it is found out who asks. */
export interface Recognise {
  readonly authenticate: Authenticate
  readonly credentialOf: CredentialOf
}

/** Whether a request carries the token or the login of an admin. */
export function isAdmins(request: IncomingMessage, { authenticate, credentialOf }: Recognise): boolean {
  const credential = credentialOf(request)
  return credential !== null && authenticate(credential)?.role === 'ADMIN'
}

function refuseMetrics(response: ServerResponse): void {
  response.setHeader('www-authenticate', 'Bearer')
  sendJson(response, 401, { error: FOR_ADMINS })
}

async function sendMetrics(response: ServerResponse, { registry }: Metrics): Promise<void> {
  response.writeHead(200, { 'content-type': registry.contentType }).end(await registry.metrics())
}

export function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(`${JSON.stringify(body)}\n`)
}
