/**
 * Reads an answer of the Responses API, streamed or whole, into the shape that Chat Completions are read into: what is
 * inside is judged by the same rules. Unknown events and items are left out: the API grows.
 */
import * as z from 'zod'
import { AnsweredError } from '../answered-error.ts'
import { PieceWriter, UnusableAnswer, type ChatAnswer } from '../chat-answer.ts'
import type { TokenCounts } from '../token-counts.ts'
import { isStorable } from '../../platform/well-formed.ts'
import { asStreamed, isStreamOfEvents } from '../wire/answer-body.ts'
import { readEvents } from '../wire/event-decoder.ts'
import { ThoughtFilter, type Sifted } from '../wire/thought-filter.ts'
import { CallCollector } from './collect-calls.ts'

/** Who gets what an answer says while it comes. */
export interface ResponsesReader {
  readonly onText: ((delta: string) => void) | null
  readonly onThinking: ((delta: string) => void) | null
  /** Called when the provider says what the answer has cost until then. */
  readonly onTokens: (tokens: TokenCounts) => void
}

/** An answer, and under what the provider keeps it. */
export interface ResponsesAnswer extends ChatAnswer {
  readonly responseId: string | null
}

/** Real ones have up to a few hundred. */
const MAX_ID_CHARS = 1024

const item = z.looseObject({
  type: z.string(),
  call_id: z.string().nullish(),
  name: z.string().nullish(),
  arguments: z.string().nullish(),
  content: z
    .array(z.looseObject({ type: z.string(), text: z.string().nullish(), refusal: z.string().nullish() }))
    .nullish(),
  summary: z.array(z.looseObject({ text: z.string().nullish() })).nullish(),
})
const tokens = z.number().int().min(0).max(2_147_483_647).catch(0)
const wholeResponse = z.looseObject({
  id: z.string().nullish(),
  model: z.string().nullish().catch(null),
  status: z.string().nullish(),
  error: z.unknown().optional(),
  incomplete_details: z.looseObject({ reason: z.string().nullish() }).nullish(),
  output: z.array(item).nullish(),
  usage: z
    .looseObject({
      input_tokens: tokens,
      output_tokens: tokens,
      input_tokens_details: z.looseObject({ cached_tokens: tokens }).nullish(),
    })
    .nullish(),
})
const event = z.looseObject({
  type: z.string(),
  delta: z.string().nullish().catch(null),
  item: item.nullish().catch(null),
  response: wholeResponse.nullish(),
  error: z.unknown().optional(),
})
type WholeResponse = z.output<typeof wholeResponse>

/** Rejects as `readChatAnswer` does. */
export async function readResponsesAnswer(response: Response, reader: ResponsesReader): Promise<ResponsesAnswer> {
  const answered = asStreamed(response)
  const streamed = await isStreamOfEvents(answered)
  const collector = new ResponsesCollector(reader, streamed)
  if (!streamed) return collector.whole(await answered.json().catch(notJson))
  await readEvents(answered.chunks, (one) => collector.add(one))
  return collector.end()
}

function notJson(error: unknown): never {
  throw new UnusableAnswer('it is neither an event stream nor JSON', { cause: error })
}

class ResponsesCollector {
  readonly #streamed: boolean
  readonly #text: PieceWriter
  readonly #thinking: PieceWriter
  readonly #onTokens: ResponsesReader['onTokens']
  readonly #filter = new ThoughtFilter()
  readonly #calls = new CallCollector()
  #calledInPieces = false
  #refusal = ''
  #last: WholeResponse | null = null
  #isOver = false

  constructor({ onText, onThinking, onTokens }: ResponsesReader, streamed: boolean) {
    this.#onTokens = onTokens
    this.#text = new PieceWriter(onText)
    this.#thinking = new PieceWriter(onThinking)
    this.#streamed = streamed
  }

  add(value: unknown): void {
    const parsed = event.safeParse(value)
    if (!parsed.success) throw new UnusableAnswer('it is no answer of the Responses API')
    const { type, delta, item: done, response, error } = parsed.data
    this.#onTokens(tokensOf(response ?? this.#last))
    switch (type) {
      case 'response.output_text.delta':
        return this.#addText(this.#filter.add(delta ?? ''))
      case 'response.reasoning_text.delta':
      case 'response.reasoning_summary_text.delta':
        return this.#thinking.add(delta ?? '')
      case 'response.refusal.delta':
        this.#refusal += delta ?? ''
        return
      case 'response.output_item.done':
        if (done?.type === 'function_call') this.#addCall(done)
        return
      case 'response.failed':
      case 'error':
        throw new AnsweredError(response?.error ?? error ?? value)
      case 'response.completed':
      case 'response.incomplete':
        this.#isOver = true
        this.#last = response ?? null
        return
      default:
        // The first event names the answer already.
        this.#last ??= response ?? null
    }
  }

  /** A document in place of a stream. */
  whole(value: unknown): ResponsesAnswer {
    const parsed = wholeResponse.safeParse(value)
    if (!parsed.success) throw new UnusableAnswer('it is no answer of the Responses API')
    const { error, output } = parsed.data
    this.#onTokens(tokensOf(parsed.data))
    if (error !== undefined && error !== null) throw new AnsweredError(error)
    for (const { type, content, summary } of output ?? []) {
      if (type === 'reasoning') for (const { text } of summary ?? []) this.#thinking.add(text ?? '')
      if (type === 'message')
        for (const { text, refusal } of content ?? []) {
          this.#addText(this.#filter.add(text ?? ''))
          this.#refusal += refusal ?? ''
        }
    }
    this.#last = parsed.data
    this.#isOver = true
    return this.end()
  }

  end(): ResponsesAnswer {
    this.#addText(this.#filter.end())
    this.#thinking.end()
    const last = this.#last
    if (!this.#calledInPieces)
      for (const one of last?.output ?? []) if (one.type === 'function_call') this.#addCall(one)
    return {
      text: this.#text.end(),
      finishReason: this.#isOver ? reasonOf(last) : null,
      model: last?.model ?? null,
      refusal: this.#refusal === '' ? null : this.#refusal,
      calls: this.#calls.end(),
      streamed: this.#streamed,
      tokens: tokensOf(last),
      beginsInThought: false,
      responseId: idOf(last),
    }
  }

  #addText({ text, thought }: Sifted): void {
    this.#thinking.add(thought)
    this.#text.add(text)
  }

  #addCall({ call_id: id, name, arguments: written }: z.output<typeof item>): void {
    this.#calledInPieces = true
    this.#calls.add({ id, function: { name, arguments: written } })
  }
}

function tokensOf(response: WholeResponse | null): TokenCounts {
  const {
    input_tokens: inputTokens = 0,
    output_tokens: outputTokens = 0,
    input_tokens_details: details,
  } = response?.usage ?? {}
  return { inputTokens, outputTokens, cachedTokens: Math.min(inputTokens, details?.cached_tokens ?? 0) }
}

/** Null: there is none, or none that can be kept. */
function idOf(last: WholeResponse | null): string | null {
  const id = last?.id ?? ''
  return id !== '' && id.length <= MAX_ID_CHARS && isStorable(id) ? id : null
}

/** In the words of Chat Completions. What is incomplete was cut off, also where the reason is missing or a new one. */
function reasonOf(last: WholeResponse | null): string {
  const { status, incomplete_details: details } = last ?? {}
  if (details?.reason === 'content_filter') return 'content_filter'
  if (status === 'failed' || status === 'cancelled') return 'error'
  return status === 'incomplete' || details?.reason != null ? 'length' : 'stop'
}
