/** On every answer; what may be kept for a while says so itself. */
export const SAFE_HEADERS: readonly (readonly [string, string])[] = [
  ['x-content-type-options', 'nosniff'],
  ['cache-control', 'no-store'],
]
