/**
 * Reads a Chat Completions answer, streamed or whole (some servers answer a request for a stream with a document), into
 * one shape. What is inside is not judged here (`judge-answer.ts` does that), only bounded and made storable. What must
 * hold: the pieces given to `onText` are whole characters, and together are exactly `text`.
 */
import type OpenAI from 'openai'
import { Stream } from 'openai/core/streaming'
import * as z from 'zod'
import { toStorable } from '../platform/well-formed.ts'
import { CallCollector, TooManyCalls } from './conversation/collect-calls.ts'
import type { RequestedCall } from './conversation/conversation.ts'
import { isEventStream } from './event-stream.ts'
import type { TokenCounts } from './token-counts.ts'

/** More text than any plan, review or message has a use for. */
const MAX_TEXT_CHARS = 1024 * 1024

/** What a provider sent, before it is judged: any field may show that it is no use (`judge-answer.ts`). */
export interface ChatAnswer {
  readonly text: string
  /** Why the model stopped, in the words of the protocol; null: the answer broke off, or the server does not say. */
  readonly finishReason: string | null
  readonly refusal: string | null
  readonly calls: readonly RequestedCall[]
  readonly streamed: boolean
  readonly tokens: TokenCounts
}

/** An answer that is not Chat Completions, or too long. */
export class UnusableAnswer extends Error {
  override readonly name = 'UnusableAnswer'
}

/** An error that came as an answer: in a stream, or in a document with status 200. */
export class AnsweredError extends Error {
  override readonly name = 'AnsweredError'
  readonly body: unknown

  constructor(body: unknown) {
    super('the answer is an error')
    this.body = body
  }
}

const said = z.object({
  content: z.string().nullish(),
  refusal: z.string().nullish(),
  tool_calls: z.array(z.unknown()).nullish(),
  // What a model shows of its reasoning: two names for it are in use.
  reasoning: z.string().nullish().catch(null),
  reasoning_content: z.string().nullish().catch(null),
})
const partSchema = z.object({
  choices: z
    .array(z.object({ message: said.nullish(), delta: said.nullish(), finish_reason: z.string().nullish() }))
    .nullish(),
  usage: z
    .object({
      prompt_tokens: z.unknown(),
      completion_tokens: z.unknown(),
      prompt_tokens_details: z.object({ cached_tokens: z.unknown() }).partial().nullish(),
    })
    .partial()
    .nullish(),
  error: z.unknown().optional(),
})

interface AnswerReader {
  readonly client: OpenAI
  readonly onText: ((delta: string) => void) | null
  readonly onThinking?: ((delta: string) => void) | null
}

/** Rejects with UnusableAnswer, AnsweredError, what the transport rejects with, or what `onText` throws. */
export async function readChatAnswer(
  response: Response,
  { client, onText, onThinking = null }: AnswerReader,
): Promise<ChatAnswer> {
  const streamed = isEventStream(response.headers.get('content-type'))
  const collector = new AnswerCollector({ onText, onThinking }, streamed)
  if (streamed) {
    const events = Stream.fromSSEResponse<unknown>(response, new AbortController(), client, false, 'events')
    for await (const event of events) collector.add(event)
  } else {
    collector.add(parseDocument(await response.text(), response))
  }
  return collector.end()
}

function parseDocument(text: string, response: Response): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const type = response.headers.get('content-type') ?? 'no content type'
    throw new UnusableAnswer(`it is neither an event stream nor JSON (${type})`, { cause: error })
  }
}

class AnswerCollector {
  readonly #streamed: boolean
  readonly #text: PieceWriter
  readonly #thinking: PieceWriter
  readonly #calls = new CallCollector()
  #refusal: string | null = null
  #finishReason: string | null = null
  #tokens: TokenCounts = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 }

  constructor({ onText, onThinking }: Omit<Required<AnswerReader>, 'client'>, streamed: boolean) {
    this.#text = new PieceWriter(onText)
    this.#thinking = new PieceWriter(onThinking)
    this.#streamed = streamed
  }

  add(value: unknown): void {
    const part = partSchema.safeParse(value)
    if (!part.success) throw new UnusableAnswer(`it is not a Chat Completions answer: ${firstIssue(part.error)}`)
    const { choices, usage, error } = part.data
    if (error !== undefined && error !== null) throw new AnsweredError(error)
    if (usage !== undefined && usage !== null) this.#tokens = countTokens(usage)
    const choice = choices?.[0]
    if (choice === undefined) return
    this.#finishReason = choice.finish_reason ?? this.#finishReason
    const { content, refusal, tool_calls: toolCalls, reasoning, ...more } = choice.message ?? choice.delta ?? {}
    this.#thinking.add(reasoning ?? more.reasoning_content ?? '')
    if (refusal !== null && refusal !== undefined && refusal !== '') this.#refusal = (this.#refusal ?? '') + refusal
    for (const call of toolCalls ?? []) this.#addCall(call)
    this.#text.add(content ?? '')
  }

  end(): ChatAnswer {
    this.#thinking.end()
    return {
      text: this.#text.end(),
      finishReason: this.#finishReason,
      refusal: this.#refusal,
      calls: this.#calls.end(),
      streamed: this.#streamed,
      tokens: this.#tokens,
    }
  }

  #addCall(call: unknown): void {
    try {
      this.#calls.add(call)
    } catch (error) {
      if (!(error instanceof TooManyCalls)) throw error
      throw new UnusableAnswer(error.message, { cause: error })
    }
  }
}

/** Hands on pieces of a text: whole characters, storable ones, and not without end. */
export class PieceWriter {
  readonly #onPiece: ((delta: string) => void) | null
  #written = ''
  /** The first half of a character whose second half has not come. */
  #half = ''

  constructor(onPiece: ((delta: string) => void) | null) {
    this.#onPiece = onPiece
  }

  /** Throws UnusableAnswer when it becomes too long. */
  add(piece: string): void {
    if (piece === '') return
    const whole = this.#half + piece
    const last = whole.charCodeAt(whole.length - 1)
    const isHalf = last >= 0xd800 && last <= 0xdbff
    this.#half = isHalf ? whole.slice(-1) : ''
    this.#deliver(isHalf ? whole.slice(0, -1) : whole)
  }

  /** All of it. */
  end(): string {
    this.#deliver(this.#half)
    this.#half = ''
    return this.#written
  }

  #deliver(raw: string): void {
    if (raw === '') return
    if (this.#written.length + raw.length > MAX_TEXT_CHARS)
      throw new UnusableAnswer(`its text is longer than ${MAX_TEXT_CHARS} characters`)
    const text = toStorable(raw)
    this.#written += text
    this.#onPiece?.(text)
  }
}

type UsagePart = NonNullable<z.output<typeof partSchema>['usage']>

function countTokens(usage: UsagePart): TokenCounts {
  const inputTokens = tokenCount(usage.prompt_tokens)
  return {
    inputTokens,
    outputTokens: tokenCount(usage.completion_tokens),
    cachedTokens: Math.min(inputTokens, tokenCount(usage.prompt_tokens_details?.cached_tokens)),
  }
}

/** A number that no token count can be is not counted: it would not fit where calls are recorded. */
function tokenCount(value: unknown): number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 2_147_483_647 ? value : 0
}

function firstIssue(error: z.ZodError): string {
  const issue = error.issues[0]
  return issue === undefined ? 'unreadable' : `${issue.path.join('.') || 'the whole'}: ${issue.message}`
}
