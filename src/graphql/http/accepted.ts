/**
 * What a client accepts, as far as it must be known before an operation runs. Which of them it gets is yoga's choice.
 */

export const RESPONSE_JSON = 'application/graphql-response+json'
export const PLAIN_JSON = 'application/json'
export const EVENT_STREAM = 'text/event-stream'

const JSON_RANGES: ReadonlySet<string> = new Set(['*/*', 'application/*', PLAIN_JSON, RESPONSE_JSON])

export interface Accepted {
  readonly json: boolean
  /** Only when it is named: a stream is of no use to who accepts anything. */
  readonly events: boolean
}

export function acceptedOf(accept: string | null): Accepted {
  if (accept === null || accept === '') return { json: true, events: false }
  const ranges = accept
    .toLowerCase()
    .split(',')
    .map((part) => part.split(';')[0]?.trim() ?? '')
  return { json: ranges.some((range) => JSON_RANGES.has(range)), events: ranges.includes(EVENT_STREAM) }
}
