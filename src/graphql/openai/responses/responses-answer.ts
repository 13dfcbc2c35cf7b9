/** Answers of `POST /v1/responses`: items of reasoning and text, in the order in which they came. */
import type { TurnData } from '../../protocols/turn-documents.ts'
import type { Answer, AnswerHead } from '../answer.ts'
import type { OpenAIError } from '../openai-error.ts'
import type { Piece } from '../narrate.ts'
import { responseId } from './responses-request.ts'

interface Item {
  readonly kind: Piece['kind']
  readonly id: string
  text: string
}

export class ResponsesAnswer implements Answer {
  readonly #head: AnswerHead
  readonly #items: Item[] = []
  #sequence = 0

  constructor(head: AnswerHead) {
    this.#head = head
  }

  begin(): string {
    const response = this.#response('in_progress', null)
    return this.#event('response.created', { response }) + this.#event('response.in_progress', { response })
  }

  add({ kind, text }: Piece): string {
    const last = this.#items.at(-1)
    const opening = last?.kind === kind ? '' : this.#close() + this.#open(kind)
    const item = this.#items.at(-1)
    if (item !== undefined) item.text += text
    const type = kind === 'text' ? 'response.output_text.delta' : 'response.reasoning_summary_text.delta'
    return (
      opening + this.#event(type, { ...this.#place(kind), delta: text, ...(kind === 'text' ? { logprobs: [] } : {}) })
    )
  }

  end(turn: TurnData | null): string {
    return this.#close() + this.#event('response.completed', { response: this.#response('completed', turn) })
  }

  /** As OpenAI does, in two events: there are libraries that show people only one of them, or that one without why. */
  fail(error: OpenAIError): string {
    const response = { ...this.#response('failed', null), error: { code: error.code, message: error.message } }
    return this.#close() + this.#event('error', error.body) + this.#event('response.failed', { response })
  }

  whole(turn: TurnData | null): object {
    return this.#response('completed', turn)
  }

  /** Of a turn that ended without an answer, and had said this by then. */
  broken({ code, message }: OpenAIError): object {
    if (code === 'turn_cancelled') return this.#response('cancelled', null)
    return { ...this.#response('failed', null), error: { code, message } }
  }

  /** Of a turn from which more is to come: what it has said so far is left to a stream. */
  standing({ status }: Pick<TurnData, 'status'>): object {
    return this.#response(status === 'QUEUED' ? 'queued' : 'in_progress', null)
  }

  #open(kind: Piece['kind']): string {
    const prefix = kind === 'text' ? 'msg' : 'rs'
    const item: Item = { kind, id: `${prefix}_${this.#head.id}_${this.#items.length}`, text: '' }
    this.#items.push(item)
    const index = this.#items.length - 1
    const begun =
      kind === 'text' ? { ...shown(item), status: 'in_progress', content: [] } : { ...shown(item), summary: [] }
    const part = { ...this.#place(kind), part: partOf(item) }
    const type = kind === 'text' ? 'response.content_part.added' : 'response.reasoning_summary_part.added'
    return this.#event('response.output_item.added', { output_index: index, item: begun }) + this.#event(type, part)
  }

  #close(): string {
    const item = this.#items.at(-1)
    if (item === undefined) return ''
    const { kind, text } = item
    const place = this.#place(kind)
    const isText = kind === 'text'
    const done = isText
      ? this.#event('response.output_text.done', { ...place, text, logprobs: [] })
      : this.#event('response.reasoning_summary_text.done', { ...place, text })
    const type = isText ? 'response.content_part.done' : 'response.reasoning_summary_part.done'
    const part = this.#event(type, { ...place, part: partOf(item) })
    const ended = { output_index: this.#items.length - 1, item: shown(item) }
    return done + part + this.#event('response.output_item.done', ended)
  }

  /** Of the item that grows. */
  #place(kind: Piece['kind']): object {
    const index = this.#items.length - 1
    const place = { item_id: this.#items[index]?.id, output_index: index }
    return kind === 'text' ? { ...place, content_index: 0 } : { ...place, summary_index: 0 }
  }

  #event(type: string, data: object): string {
    const event = { type, sequence_number: this.#sequence, ...data }
    this.#sequence += 1
    return `event: ${type}\ndata: ${JSON.stringify(event)}\n\n`
  }

  #response(status: ResponseStatus, turn: TurnData | null): object {
    const { id, createdAt, model, sessionId, instructions, background } = this.#head
    return {
      id: responseId(id),
      object: 'response',
      created_at: createdAt,
      status,
      background,
      error: null,
      incomplete_details: null,
      instructions,
      max_output_tokens: null,
      model,
      output: this.#items.map(shown),
      parallel_tool_calls: false,
      previous_response_id: null,
      reasoning: { effort: null, summary: null },
      store: true,
      temperature: null,
      text: { format: { type: 'text' } },
      tool_choice: 'none',
      tools: [],
      top_p: null,
      truncation: 'disabled',
      usage: turn === null ? null : usageOf(turn),
      conversation: { id: sessionId },
      metadata: { session: sessionId },
    }
  }
}

type ResponseStatus = 'queued' | 'in_progress' | 'completed' | 'failed' | 'cancelled'

function shown(item: Item): object {
  const { id, kind } = item
  if (kind === 'reasoning') return { id, type: 'reasoning', summary: [partOf(item)] }
  return { id, type: 'message', status: 'completed', role: 'assistant', content: [partOf(item)] }
}

function partOf({ kind, text }: Item): object {
  return kind === 'text' ? { type: 'output_text', text, annotations: [], logprobs: [] } : { type: 'summary_text', text }
}

function usageOf({ usage: { inputTokens, outputTokens, cachedTokens } }: TurnData): object {
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cachedTokens },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: inputTokens + outputTokens,
  }
}
