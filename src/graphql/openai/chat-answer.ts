/** Answers of `POST /v1/chat/completions`. */
import type { TurnData } from '../protocols/turn-documents.ts'
import type { Answer, AnswerHead } from './answer.ts'
import type { OpenAIError } from './openai-error.ts'
import type { Piece } from './narrate.ts'

export class ChatAnswer implements Answer {
  readonly #head: AnswerHead
  readonly #includesUsage: boolean
  #content = ''
  #reasoning = ''

  constructor(head: AnswerHead, includesUsage: boolean) {
    this.#head = head
    this.#includesUsage = includesUsage
  }

  begin(): string {
    return this.#chunk({ role: 'assistant', content: '' })
  }

  add({ kind, text }: Piece): string {
    if (kind === 'text') this.#content += text
    else this.#reasoning += text
    return this.#chunk(kind === 'text' ? { content: text } : { reasoning_content: text })
  }

  end(turn: TurnData | null): string {
    const stop = this.#chunk({}, 'stop')
    const usage = this.#includesUsage
      ? frame({ ...this.#common('chat.completion.chunk'), choices: [], usage: usageOf(turn) })
      : ''
    return `${stop}${usage}data: [DONE]\n\n`
  }

  fail(error: OpenAIError): string {
    return `${frame(error.body)}data: [DONE]\n\n`
  }

  whole(turn: TurnData | null): object {
    const reasoning = this.#reasoning === '' ? {} : { reasoning_content: this.#reasoning }
    const message = { role: 'assistant', content: this.#content, refusal: null, ...reasoning }
    return {
      ...this.#common('chat.completion'),
      choices: [{ index: 0, message, logprobs: null, finish_reason: 'stop' }],
      usage: usageOf(turn),
    }
  }

  #chunk(delta: object, finish: 'stop' | null = null): string {
    const choices = [{ index: 0, delta, logprobs: null, finish_reason: finish }]
    return frame({ ...this.#common('chat.completion.chunk'), choices })
  }

  #common(object: string): object {
    const { id, createdAt, model, sessionId } = this.#head
    return { id: `chatcmpl-${id}`, object, created: createdAt, model, system_fingerprint: null, session: sessionId }
  }
}

function frame(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`
}

function usageOf(turn: TurnData | null): object {
  const { inputTokens = 0, outputTokens = 0, cachedTokens = 0 } = turn?.usage ?? {}
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: cachedTokens },
  }
}
