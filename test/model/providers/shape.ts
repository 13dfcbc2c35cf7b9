/** One thing that a provider was seen to answer, and what must become of it. */

export interface ProviderShape {
  /** Whose answer it is. */
  readonly provider: string
  /** What is odd about it. */
  readonly what: string
  readonly status?: number
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
  /** As it stood on the wire. */
  readonly body: string
  /** The text, or the code of the error and words of its message. */
  readonly becomes: string | { readonly code: string; readonly says: RegExp }
}

const EVENTS = 'text/event-stream'

/** A stream, an event a line. */
export function events(...data: readonly unknown[]): Pick<ProviderShape, 'body' | 'type'> {
  const lines = data.map((one) => `data: ${typeof one === 'string' ? one : JSON.stringify(one)}\n\n`)
  return { body: lines.join(''), type: EVENTS }
}

/** A piece of text, as most send it. */
export function delta(content: unknown, more: object = {}): object {
  return { object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content, ...more }, finish_reason: null }] }
}

export function finish(reason: unknown): object {
  return { object: 'chat.completion.chunk', choices: [{ index: 0, delta: {}, finish_reason: reason }] }
}

export function json(value: unknown): Pick<ProviderShape, 'body' | 'type'> {
  return { body: JSON.stringify(value), type: 'application/json' }
}

/** An error as OpenAI writes it. */
export function openAi(message: string, more: object = {}): Pick<ProviderShape, 'body' | 'type'> {
  return json({ error: { message, type: 'invalid_request_error', param: null, code: null, ...more } })
}
