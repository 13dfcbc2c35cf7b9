/**
 * Models of plugins' runtimes, "<plugin>/<runtime>:<model>", beside those of providers. A runtime that was left open is
 * asked with what is new; one that is not there any more, or fails before it has said anything, is as a provider that
 * has lost the conversation: another one is opened and sent the whole, once (src/agents/assistant/converse.ts).
 */
import { isRuntime } from '../../config/models/model-choice.ts'
import { AppError } from '../../core/errors.ts'
import type { ModelRuntimes, OpenRuntime, RuntimeAsked, RuntimePiece } from '../../core/tool/model-runtime.ts'
import type { Clock } from '../../platform/clock.ts'
import type { ConversationAnswer, ConversationRequest, RequestedCall } from '../conversation/conversation.ts'
import type { LanguageModel, ModelAnswer, ModelRequest } from '../language-model.ts'
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
      cancel = this.#clock.after(readers.idleTimeoutMs, () => silence.abort())
    }
    listen()
    try {
      for await (const piece of runtime.send(asked, signal)) {
        listen()
        answer.add(piece)
      }
      return answer.whole
    } catch (error) {
      if (readers.signal.aborted) throw new AppError('CANCELLED', 'The answer was given up.')
      if (!silence.signal.aborted) throw error
      const seconds = readers.idleTimeoutMs / 1000
      throw new AppError('MODEL_SILENT', `The runtime said nothing for ${seconds} s, so its answer was given up.`)
    } finally {
      cancel()
    }
  }
}

const IN_WORDS = {
  structuredOutput: 'prompt',
  streams: true,
  asksUsage: false,
  maxTokensField: 'max_tokens',
  systemRole: 'system',
} as const

/** One answer as it comes, within its bounds. */
class GrowingAnswer {
  readonly #readers: Readers
  readonly #calls: RequestedCall[] = []
  #text = ''
  #chars = 0
  #tokens: TokenCounts = NO_TOKENS

  constructor(readers: Readers) {
    this.#readers = readers
  }

  add(piece: RuntimePiece): void {
    switch (piece.kind) {
      case 'text':
      case 'thinking':
        return this.#say(piece)
      case 'call': {
        const { id, name, args } = piece
        if (this.#calls.length >= MAX_CALLS) throw tooMuch(`${MAX_CALLS} calls`)
        const isKnown = this.#calls.some((call) => call.id === id)
        const written = JSON.stringify(args)
        this.#chars += written.length
        if (this.#chars > MAX_ANSWER_CHARS) throw tooMuch(`${MAX_ANSWER_CHARS} characters`)
        this.#calls.push({ id: isKnown ? `${id}_${this.#calls.length + 1}` : id, name, args, written })
        return
      }
      case 'usage':
        this.#tokens = piece
    }
  }

  get whole(): Omit<ConversationAnswer, 'responseId'> {
    const { inputTokens, outputTokens, cachedTokens } = this.#tokens
    return { text: this.#text, calls: this.#calls, inputTokens, outputTokens, cachedTokens }
  }

  #say({ kind, text }: Extract<RuntimePiece, { kind: 'text' | 'thinking' }>): void {
    if (text === '') return
    this.#chars += text.length
    if (this.#chars > MAX_ANSWER_CHARS) throw tooMuch(`${MAX_ANSWER_CHARS} characters`)
    if (kind === 'text') this.#text += text
    const read = kind === 'text' ? this.#readers.onText : this.#readers.onThinking
    read?.(text)
  }
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
