/** Which of our media types a client wants to have. */
export const RESPONSE_JSON = 'application/graphql-response+json'
export const PLAIN_JSON = 'application/json'
export const EVENT_STREAM = 'text/event-stream'
export const HTML = 'text/html'

export type MediaType = typeof RESPONSE_JSON | typeof PLAIN_JSON | typeof EVENT_STREAM | typeof HTML

/** In our order of preference. Clients that name none, or any, get what clients have always got. */
const OFFERED: readonly MediaType[] = [PLAIN_JSON, RESPONSE_JSON, EVENT_STREAM, HTML]

/** The client's favourite among ours; null when it accepts none (406). */
export function negotiate(accept: string | undefined): MediaType | null {
  if (accept === undefined || accept === '') return PLAIN_JSON
  let best: { readonly type: MediaType; readonly quality: number } | null = null
  for (const part of accept.toLowerCase().split(',')) {
    const [range = '', ...parameters] = part.split(';').map((piece) => piece.trim())
    const type = OFFERED.find((offered) => matches(range, offered))
    const q = parameters.find((parameter) => parameter.startsWith('q='))
    const quality = q === undefined ? 1 : Number(q.slice(2)) || 0
    if (type !== undefined && quality > (best?.quality ?? 0)) best = { type, quality }
  }
  return best?.type ?? null
}

function matches(range: string, type: MediaType): boolean {
  return range === '*/*' || range === type || (range.endsWith('/*') && type.startsWith(range.slice(0, -1)))
}
