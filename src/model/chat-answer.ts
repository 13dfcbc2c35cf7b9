/**
 * Reads a Chat Completions answer, streamed or whole (some servers answer a request for a stream with a document), into
 * one shape. What is inside is not judged here (`judge-answer.ts` does that), only bounded and made storable. What must
 * hold: the pieces given to `onText` are whole characters, and together are exactly `text`.
 */
import * as z from 'zod'
import { toStorable } from '../platform/well-formed.ts'
import { CallCollector, TooManyCalls } from './conversation/collect-calls.ts'
import type { RequestedCall } from './conversation/conversation.ts'
import { AnsweredError } from './answered-error.ts'
import type { TokenCounts } from './token-counts.ts'
import { asStreamed, isStreamOfEvents } from './wire/answer-body.ts'
import { readEvents } from './wire/event-decoder.ts'
import { readPlainPart } from './wire/plain-part.ts'
import { isErrorBody } from './wire/error-body.ts'
import { readFinishReason, readSaid, saidSchema } from './wire/said-parts.ts'
import { splitAtLoneClosing, ThoughtFilter, type Sifted } from './wire/thought-filter.ts'

/** More text than any plan, review or message has a use for. */
const MAX_TEXT_CHARS = 1024 * 1024

/** What a provider sent, before it is judged: any field may show that it is no use (`judge-answer.ts`). */
export interface ChatAnswer {
  readonly text: string
  /** Why the model stopped, in the words of the protocol; null: the answer broke off, or the server does not say. */
  readonly finishReason: string | null
  /** Which model answered, as the server calls it. */
  readonly model: string | null
  readonly refusal: string | null
  readonly calls: readonly RequestedCall[]
  readonly streamed: boolean
  readonly tokens: TokenCounts
  /** The model's reasoning came first, without the mark that begins it. */
  readonly beginsInThought: boolean
}

/** An answer that is not Chat Completions, or too long. */
export class UnusableAnswer extends Error {
  override readonly name = 'UnusableAnswer'
}

const partSchema = z.object({
  model: z.string().nullish().catch(null),
  choices: z
    .array(
      z.looseObject({
        message: saidSchema.nullish(),
        delta: saidSchema.nullish(),
        // Of servers that answer as the API before Chat Completions did.
        text: z.string().nullish().catch(null),
        finish_reason: z.unknown().optional(),
        error: z.unknown().optional(),
      }),
    )
    .nullish(),
  usage: z
    .object({
      prompt_tokens: z.unknown(),
      completion_tokens: z.unknown(),
      total_tokens: z.unknown(),
      prompt_tokens_details: z.object({ cached_tokens: z.unknown() }).partial().nullish().catch(null),
    })
    .partial()
    .nullish()
    .catch(null),
})

interface AnswerReader {
  readonly onText: ((delta: string) => void) | null
  readonly onThinking?: ((delta: string) => void) | null
  /** Called whenever the provider says what the answer has cost until then. */
  readonly onTokens?: (tokens: TokenCounts) => void
  /** The text is given only when all of it is there, because it may begin in the middle of the model's reasoning. */
  readonly holds?: boolean
}

/** Rejects with UnusableAnswer, AnsweredError, what the transport rejects with, or what `onText` throws. */
export async function readChatAnswer(
  response: Response,
  { onText, onThinking = null, onTokens = () => undefined, holds = false }: AnswerReader,
): Promise<ChatAnswer> {
  const answered = asStreamed(response)
  const streamed = await isStreamOfEvents(answered)
  const collector = new AnswerCollector({ onText, onThinking, onTokens, holds }, streamed)
  if (streamed) return collector.end(await readEvents(answered.chunks, (event) => collector.add(event)))
  collector.add(parseDocument(await answered.text(), answered))
  return collector.end(false)
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
  readonly #holds: boolean
  readonly #text: PieceWriter
  readonly #thinking: PieceWriter
  readonly #onTokens: (tokens: TokenCounts) => void
  readonly #filter = new ThoughtFilter()
  readonly #calls = new CallCollector()
  /** Of a text that is given only when all of it is there. */
  #held = ''
  #refusal: string | null = null
  #finishReason: string | null = null
  #model: string | null = null
  #tokens: TokenCounts = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 }

  constructor({ onText, onThinking, onTokens, holds }: Required<AnswerReader>, streamed: boolean) {
    this.#onTokens = onTokens
    this.#text = new PieceWriter(onText)
    this.#thinking = new PieceWriter(onThinking)
    // A whole answer can be read before any of it is given.
    this.#holds = holds || !streamed || onText === null
    this.#streamed = streamed
  }

  add(value: unknown): void {
    const plain = readPlainPart(value)
    if (plain === null) return this.#addPart(value)
    if (plain.usage !== null) this.#count(plain.usage)
    this.#finishReason = readFinishReason(plain.finishReason) ?? this.#finishReason
    if (typeof plain.model === 'string') this.#model ??= plain.model
    this.#addText(this.#filter.add(plain.text))
  }

  /** Of any shape. */
  #addPart(value: unknown): void {
    if (isErrorBody(value)) throw new AnsweredError(value)
    const part = partSchema.safeParse(value)
    if (!part.success) throw new UnusableAnswer(`it is not a Chat Completions answer: ${firstIssue(part.error)}`)
    const { choices, usage, model } = part.data
    if (!this.#streamed && !choices) throw new UnusableAnswer('it is no Chat Completions answer: it has no choices')
    this.#model ??= model ?? null
    if (usage !== undefined && usage !== null) this.#count(usage)
    const choice = choices?.[0]
    if (choice === undefined) return
    if (typeof choice.error === 'object' && choice.error !== null) throw new AnsweredError(choice.error)
    this.#finishReason = readFinishReason(choice.finish_reason) ?? this.#finishReason
    const said = choice.message ?? choice.delta ?? {}
    const { text, thought, refusal } = readSaid(said)
    this.#thinking.add(thought)
    if (refusal !== '') this.#refusal = (this.#refusal ?? '') + refusal
    for (const call of said.tool_calls ?? []) this.#addCall(call)
    if (said.function_call !== undefined && said.function_call !== null) this.#addCall({ function: said.function_call })
    this.#addText(this.#filter.add(text === '' ? (choice.text ?? '') : text))
  }

  /** `isDone`: the stream said that it is over, which is as good as a reason for its end. */
  end(isDone: boolean): ChatAnswer {
    this.#addText(this.#filter.end())
    const lone = splitAtLoneClosing(this.#holds ? this.#held : this.#text.written)
    if (this.#holds) {
      this.#thinking.add(lone?.thought ?? '')
      this.#text.add(lone?.text ?? this.#held)
    }
    this.#thinking.end()
    const text = this.#text.end()
    const isOver = isDone || isWholeJson(text)
    return {
      text,
      finishReason: this.#finishReason ?? (isOver ? 'stop' : null),
      model: this.#model,
      refusal: this.#refusal,
      calls: this.#calls.end(),
      streamed: this.#streamed,
      tokens: this.#tokens,
      beginsInThought: lone !== null,
    }
  }

  #count(usage: UsagePart): void {
    this.#tokens = countTokens(usage)
    this.#onTokens(this.#tokens)
  }

  #addText({ text, thought }: Sifted): void {
    this.#thinking.add(thought)
    if (!this.#holds) return this.#text.add(text)
    if (this.#held.length + text.length > MAX_TEXT_CHARS) throw tooLong()
    this.#held += text
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

function isWholeJson(text: string): boolean {
  if (!text.trimStart().startsWith('{')) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
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

  /** What has been handed on. */
  get written(): string {
    return this.#written
  }

  #deliver(raw: string): void {
    if (raw === '') return
    if (this.#written.length + raw.length > MAX_TEXT_CHARS) throw tooLong()
    const text = toStorable(raw)
    this.#written += text
    this.#onPiece?.(text)
  }
}

function tooLong(): UnusableAnswer {
  return new UnusableAnswer(`its text is longer than ${MAX_TEXT_CHARS} characters`)
}

type UsagePart = NonNullable<z.output<typeof partSchema>['usage']>

/** Gemini and xAI count reasoning, which they bill as output, in the total alone. */
function countTokens(usage: UsagePart): TokenCounts {
  const inputTokens = tokenCount(usage.prompt_tokens)
  const besidesInput = inputTokens === 0 ? 0 : tokenCount(usage.total_tokens) - inputTokens
  return {
    inputTokens,
    outputTokens: Math.max(tokenCount(usage.completion_tokens), besidesInput),
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
