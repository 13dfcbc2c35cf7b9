/** How requests that carry files are refused: in JSON, with a code for programs and a sentence for people. */
import { systemClock } from '../../platform/clock.ts'
import { sendJson } from '../health/probes.ts'
import type { Exchange } from '../http/plain-route.ts'

/** What stands in the answer. */
export interface Problem {
  readonly code: string
  readonly problem: string
}

/** What is left of a body that is not wanted is read all the same, so that its sender finds the answer: so much, */
const MAX_DISCARDED_BYTES = 600 * 1024 * 1024
/** and for no longer than other bodies have, since anyone may be refused. */
const MAX_DISCARD_MS = 30_000

/**
 * The connection ends with the answer, and not before the body does: one that is closed over unread bytes is reset,
 * and what a proxy or a browser that still sends then has is a failure of the network.
 */
export function refuse({ request, response }: Exchange, status: number, { code, problem }: Problem): void {
  if (!request.complete) response.setHeader('connection', 'close')
  if (request.complete || request.destroyed) return sendJson(response, status, { code, problem })
  const body = Buffer.from(`${JSON.stringify({ code, problem })}\n`)
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length })
  response.write(body)
  let discarded = 0
  request.on('data', (chunk: Buffer) => {
    discarded += chunk.length
    if (discarded > MAX_DISCARDED_BYTES) end()
  })
  const cancel = systemClock.after(MAX_DISCARD_MS, end)
  request.once('close', end).once('end', end)

  function end(): void {
    cancel()
    response.end()
  }
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
