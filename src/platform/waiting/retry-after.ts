/**
 * How long the other side asks us to wait before the next try: `retry-after-ms`, or `Retry-After` in seconds or as an
 * HTTP date.
 */
export function retryAfterMs(headers: Headers | undefined, now: Date): number | null {
  const milliseconds = positive(headers?.get('retry-after-ms'))
  if (milliseconds !== null) return milliseconds
  const text = headers?.get('retry-after') ?? null
  if (text === null) return null
  const seconds = positive(text)
  if (seconds !== null) return seconds * 1000
  const at = /^[A-Za-z]{3,9},? /.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? null : Math.max(0, at - now.getTime())
}

function positive(text: string | null | undefined): number | null {
  if (text === null || text === undefined || !/^\s*\d+(\.\d+)?\s*$/.test(text)) return null
  return Number(text)
}
