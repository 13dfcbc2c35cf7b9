/**
 * Models of plugins' runtimes, "<plugin>/<runtime>:<model>", beside those of providers. A runtime that was left open is
 * asked with what is new; one that is not there any more, or fails before it has said anything, is as a provider that
 * has lost the conversation: another one is opened and sent the whole, once (src/agents/assistant/converse.ts).
 */
import { isRuntime } from '../../config/models/model-choice.ts'
import { AppError } from '../../core/errors.ts'
import type { ModelRuntimes, OpenRuntime, RuntimeAsked, RuntimePiece } from '../../core/tool/model-runtime.ts'
import { readArguments } from '../../core/tool/read-arguments.ts'
import { toStorable } from '../../platform/well-formed.ts'
import type { Clock } from '../../platform/clock.ts'
import { PieceWriter } from '../chat-answer.ts'
import type { ConversationAnswer, ConversationRequest, RequestedCall } from '../conversation/conversation.ts'
import { ModelError, type LanguageModel, type ModelAnswer, type ModelRequest } from '../language-model.ts'
import { NO_TOKENS, type TokenCounts } from '../token-counts.ts'
import { askForSchema } from '../wire/shaped-request.ts'
import { RuntimeHolder } from './runtime-holder.ts'

interface RuntimeModelOptions {
  /** Of providers. */
  readonly model: LanguageModel
  readonly runtimes: ModelRuntimes
  readonly clock: Clock
}

/** Of text and thoughts in one answer. */
const MAX_ANSWER_CHARS = 1024 * 1024
const MAX_CALLS = 128
/** What a runtime claims beyond this is nonsense, and more than the column of a call holds. */
const MAX_TOKENS = 2 ** 31 - 1

/** Asks the runtime or the provider, by the name of the provider. */
export function withRuntimes({ model, runtimes, clock }: RuntimeModelOptions): LanguageModel {
  const runtimeModel = new RuntimeModel(runtimes, clock)
  return {
    complete: (request) => (isRuntime(request.provider) ? runtimeModel.complete(request) : model.complete(request)),
    converse: (request) => (isRuntime(request.provider) ? runtimeModel.converse(request) : model.converse(request)),
  }
}

type Readers = Pick<ConversationRequest, 'onText' | 'onThinking' | 'idleTimeoutMs' | 'signal'>

class RuntimeModel {
  readonly #runtimes: ModelRuntimes
  readonly #clock: Clock

  constructor(runtimes: ModelRuntimes, clock: Clock) {
    this.#runtimes = runtimes
    this.#clock = clock
  }

  /** By a conversation of one answer. */
  async complete({ provider: name, model, system, user, schema, ...call }: ModelRequest): Promise<ModelAnswer> {
    const form = schema === null ? '' : askForSchema(schema, IN_WORDS).instruction
    const runtime = await this.#runtimes.open({ name, model, system: system + form }, call.signal)
    try {
      const asked = { messages: [{ by: 'user', text: user }], tools: [] } as const
      const { calls, ...answer } = await this.#read(runtime, asked, { ...call, onThinking: null })
      if (calls.length > 0 || answer.text.trim() === '') throw unusable(name)
      return answer
    } finally {
      runtime.close()
    }
  }

  async converse(request: ConversationRequest): Promise<ConversationAnswer> {
    const { provider: name, model, system, said: messages, tools, continues, signal } = request
    const holder = request.runtime ?? new RuntimeHolder()
    const key = JSON.stringify([name, model, system, tools])
    const kept = holder.take(continues, key)
    if (kept === null && continues !== null) throw lost(name)
    const runtime = kept ?? (await this.#runtimes.open({ name, model, system }, signal))
    if (kept === null) holder.hold(runtime, key)
    let hasBegun = false
    const begin =
      <Value>(read: ((value: Value) => void) | null) =>
      (value: Value): void => {
        hasBegun = true
        read?.(value)
      }
    const readers = { ...request, onText: begin(request.onText), onThinking: begin(request.onThinking) }
    try {
      const answer = await this.#read(runtime, { messages, tools }, readers)
      if (answer.text.trim() === '' && answer.calls.length === 0) throw unusable(name)
      return { ...answer, responseId: runtime.id }
    } catch (error) {
      // Whatever it has come to, it does not know what was answered.
      holder.close()
      throw kept !== null && !hasBegun && isAway(error) ? lost(name) : error
    } finally {
      if (request.runtime === undefined) holder.close()
    }
  }

  async #read(
    runtime: OpenRuntime,
    asked: RuntimeAsked,
    readers: Readers,
  ): Promise<Omit<ConversationAnswer, 'responseId'>> {
    const silence = new AbortController()
    const signal = AbortSignal.any([readers.signal, silence.signal])
    const answer = new GrowingAnswer(readers)
    let cancel = (): void => undefined
    const listen = (): void => {
      cancel()
      cancel = this.#clock.after(readers.idleTimeoutMs, () => silence.abort(silent(readers.idleTimeoutMs)))
    }
    listen()
    try {
      for await (const piece of runtime.send(asked, signal)) {
        listen()
        answer.add(piece)
      }
      return answer.end()
    } catch (error) {
      const failure: unknown = silence.signal.aborted ? silence.signal.reason : error
      const isGivenUp = readers.signal.aborted
      throw answer.charged(isGivenUp ? new AppError('CANCELLED', 'The answer was given up.') : failure)
    } finally {
      cancel()
    }
  }
}

const IN_WORDS = { structuredOutput: 'prompt' } as const

/** One answer as it comes, within its bounds; what cannot be stored is replaced, as in answers of providers. */
class GrowingAnswer {
  readonly #text: PieceWriter
  readonly #thinking: PieceWriter
  readonly #calls: RequestedCall[] = []
  #chars = 0
  #tokens: TokenCounts = NO_TOKENS

  constructor({ onText, onThinking }: Readers) {
    this.#text = new PieceWriter(onText)
    this.#thinking = new PieceWriter(onThinking)
  }

  add(piece: RuntimePiece): void {
    switch (piece.kind) {
      case 'text':
      case 'thinking':
        this.#count(piece.text)
        return (piece.kind === 'text' ? this.#text : this.#thinking).add(piece.text)
      case 'call':
        return this.#call(piece)
      case 'usage':
        this.#tokens = boundTokens(piece)
    }
  }

  /** What the answer failed with, and what it has cost until then. */
  charged(error: unknown): unknown {
    const { inputTokens, outputTokens } = this.#tokens
    if (!(error instanceof AppError) || inputTokens + outputTokens === 0) return error
    const { code, message, retry, retryAfterMs } = error
    return new ModelError(code, message, { tokens: this.#tokens, retry, retryAfterMs, cause: error })
  }

  end(): Omit<ConversationAnswer, 'responseId'> {
    this.#thinking.end()
    return { text: this.#text.end(), calls: this.#calls, ...this.#tokens }
  }

  #call({ id: givenId, name, args: given }: Extract<RuntimePiece, { kind: 'call' }>): void {
    if (this.#calls.length >= MAX_CALLS) throw tooMuch(`${MAX_CALLS} calls`)
    const asked = JSON.stringify(given)
    this.#count(asked)
    const args = readArguments(asked)
    const id = toStorable(givenId)
    const isKnown = this.#calls.some((call) => call.id === id)
    this.#calls.push({
      id: isKnown ? `${id}_${this.#calls.length + 1}` : id,
      name: toStorable(name),
      args,
      written: args === null ? asked : JSON.stringify(args),
    })
  }

  #count({ length }: string): void {
    this.#chars += length
    if (this.#chars > MAX_ANSWER_CHARS) throw tooMuch(`${MAX_ANSWER_CHARS} characters`)
  }
}

/** Cached tokens are part of the input tokens. */
function boundTokens({ inputTokens, outputTokens, cachedTokens }: TokenCounts): TokenCounts {
  const bound = (count: number, most: number): number => Math.max(0, Math.min(count, most))
  const input = bound(inputTokens, MAX_TOKENS)
  return {
    inputTokens: input,
    outputTokens: bound(outputTokens, MAX_TOKENS),
    cachedTokens: bound(cachedTokens, input),
  }
}

function silent(ms: number): AppError {
  return new AppError('MODEL_SILENT', `The runtime said nothing for ${ms / 1000} s, so its answer was given up.`)
}

function tooMuch(limit: string): AppError {
  return new AppError('MODEL_BAD_OUTPUT', `The runtime answered more than ${limit}.`)
}

function unusable(name: string): AppError {
  return new AppError('MODEL_BAD_OUTPUT', `The runtime ${name} gave no usable answer.`)
}

function lost(name: string): AppError {
  return new AppError('MODEL_CONVERSATION_LOST', `The runtime ${name} is not open any more.`)
}

function isAway(error: unknown): boolean {
  return error instanceof AppError && error.code === 'MODEL_UNREACHABLE'
}
