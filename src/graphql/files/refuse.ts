/** How requests that carry files are refused: in JSON, with a code for programs and a sentence for people. */
import { sendJson } from '../health/probes.ts'
import type { Exchange } from '../http/plain-route.ts'

/** What stands in the answer. */
export interface Problem {
  readonly code: string
  readonly problem: string
}

/** What is left of a body that is not wanted is not read: the connection ends with the answer. */
export function refuse({ request, response }: Exchange, status: number, { code, problem }: Problem): void {
  if (!request.complete) response.setHeader('connection', 'close')
  sendJson(response, status, { code, problem })
}

/** The token is missing, or unknown. */
export function refuseStranger(exchange: Exchange): void {
  exchange.response.setHeader('www-authenticate', 'Bearer')
  const problem = 'Send a known token: "Authorization: Bearer <token>".'
  refuse(exchange, 401, { code: 'UNAUTHENTICATED', problem })
}

/** `retryAfter`: seconds. */
export function refuseForNow(exchange: Exchange, status: 429 | 503, retryAfter: string): void {
  exchange.response.setHeader('retry-after', retryAfter)
  const code = status === 429 ? 'RATE_LIMITED' : 'OVERLOADED'
  refuse(exchange, status, { code, problem: `Too much at a time: send it again in ${retryAfter} s.` })
}
