/** Which websites may talk to us from a browser: the one we serve ourselves, and those of `cors_origins`. */
import type { IncomingMessage } from 'node:http'

/** Programs send no Origin and may; browsers always send one to WebSockets, "null" from sandboxed frames and files. */
export function isOriginAllowed(request: IncomingMessage, corsOrigins: readonly string[]): boolean {
  const { origin, host } = request.headers
  if (origin === undefined || corsOrigins.includes(origin)) return true
  return URL.canParse(origin) && new URL(origin).host === host
}

/** Response headers that let pages of a listed origin read our answers; empty for all others: CORS is off. */
export function corsHeaders(
  request: IncomingMessage,
  corsOrigins: readonly string[],
): Readonly<Record<string, string>> {
  const { origin } = request.headers
  if (origin === undefined || !corsOrigins.includes(origin)) return {}
  return {
    'access-control-allow-origin': origin,
    'access-control-allow-methods': 'GET, POST',
    'access-control-allow-headers': 'authorization, content-type, accept, x-request-id',
    'access-control-expose-headers': 'x-request-id, retry-after',
    'access-control-max-age': '7200',
    vary: 'origin',
  }
}
