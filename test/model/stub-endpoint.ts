/**
 * A local server that speaks Chat Completions, for tests and the bench: real HTTP, instant answers, streamed or whole.
 * What it answers is a script: one answer for every call, a list that must be used up exactly, or a function of the
 * call. What must hold: a call that the script does not foresee and a step that nobody asked for are errors of the
 * test; `close` (or `await using`) reports them.
 */
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { AgentRole } from '../../src/core/model-call.ts'

export interface StubCall {
  /** 0 for the first call. */
  readonly index: number
  /** Which agent asks, by the schema it asks with, or by its prompt. */
  readonly role: AgentRole
  readonly model: string
  readonly system: string
  readonly user: string
  readonly headers: IncomingHttpHeaders
  /** Path and query. */
  readonly url: string
  /** The whole request. */
  readonly body: StubRequest
}

interface StubRequest {
  readonly model: string
  /** Of Chat Completions; the Responses API has `input`. */
  readonly messages?: readonly { readonly role: string; readonly content: string }[]
  readonly input?: readonly unknown[]
  readonly previous_response_id?: string
  readonly tools?: readonly unknown[]
  readonly tool_choice?: 'auto' | { readonly function: { readonly name: string } }
  readonly stream?: boolean
  readonly stream_options?: { readonly include_usage: boolean }
  readonly response_format?: {
    readonly type: string
    readonly json_schema?: {
      readonly name: string
      readonly strict: boolean
      readonly schema: Readonly<Record<string, unknown>>
    }
  }
}

/** What a model says. Anything but a string is sent as JSON text. */
interface StubCompletion {
  readonly content?: unknown
  /** The content in the pieces in which it is streamed; default: all at once. */
  readonly pieces?: readonly string[]
  readonly finishReason?: string | null
  readonly refusal?: string
  readonly toolCalls?: readonly unknown[]
  readonly usage?: unknown
  /** Answers with one JSON document although a stream was asked for. */
  readonly whole?: boolean
}

/** Any HTTP answer. */
interface StubHttp {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** Full control: writes to the socket as it likes, or never. */
type StubHandler = (response: ServerResponse) => void
export type StubAnswer = string | StubCompletion | StubHttp | StubHandler
export type StubScript =
  | { readonly always: StubAnswer }
  | { readonly list: readonly StubAnswer[] }
  | { readonly by: (call: StubCall) => StubAnswer }

const DEFAULT_USAGE = { prompt_tokens: 100, completion_tokens: 20, prompt_tokens_details: { cached_tokens: 40 } }

export class StubEndpoint implements AsyncDisposable {
  readonly calls: StubCall[] = []
  readonly #server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => this.#receive(Buffer.concat(chunks).toString('utf8'), request, response))
  })
  #script: StubScript
  #used = 0
  readonly #errors: string[] = []

  private constructor(script: StubScript) {
    this.#script = script
  }

  static async start(script: StubScript): Promise<StubEndpoint> {
    const stub = new StubEndpoint(script)
    await new Promise<void>((resolve) => stub.#server.listen(0, '127.0.0.1', resolve))
    return stub
  }

  /** What belongs into base_url. */
  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`
  }

  /** How many connections clients hold open. */
  connectionCount(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)))
    })
  }

  /** Replaces the script; what the old one had left is forgotten. */
  follow(script: StubScript): void {
    this.#script = script
    this.#used = 0
  }

  /** Ends every connection. Throws when calls and script did not match. */
  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise<void>((resolve) => this.#server.close(() => resolve()))
    const left = 'list' in this.#script ? this.#script.list.length - this.#used : 0
    if (left > 0) this.#errors.push(`${left} of the script's answers were never asked for`)
    if (this.#errors.length > 0) throw new Error(`stub endpoint: ${this.#errors.join('; ')}`)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #receive(text: string, { headers, url = '' }: IncomingMessage, response: ServerResponse): void {
    const body = JSON.parse(text) as StubRequest
    const contentOf = (role: string): string => body.messages?.find((message) => message.role === role)?.content ?? ''
    const call: StubCall = {
      index: this.calls.length,
      role: roleOf(body),
      model: body.model,
      system: contentOf('system'),
      user: contentOf('user'),
      headers,
      url,
      body,
    }
    this.calls.push(call)
    try {
      answer(this.#next(call), call, response)
    } catch (error) {
      this.#errors.push(error instanceof Error ? error.message : String(error))
      // 400 is not tried again, so the test sees the first failure.
      answer({ status: 400, body: { error: { message: `stub endpoint: ${String(error)}` } } }, call, response)
    }
  }

  #next(call: StubCall): StubAnswer {
    const script = this.#script
    if ('always' in script) return script.always
    if ('by' in script) return script.by(call)
    const next = script.list[this.#used]
    if (next === undefined)
      throw new Error(`unexpected call ${call.index + 1} (${call.role}): the script has ${this.#used} answers`)
    this.#used += 1
    return next
  }
}

const ROLE_BY_SCHEMA: Readonly<Record<string, AgentRole>> = {
  plan: 'planner',
  review: 'reviewer',
  curation: 'curator',
  consolidation: 'summarizer',
  paraphrase: 'paraphraser',
  introspection: 'introspector',
}

/** Of a schema that is not named, because it stands in the instructions: a property that no other has. */
const ROLE_BY_PROPERTY: Readonly<Record<string, AgentRole>> = { '"tasks":': 'planner', '"status":': 'reviewer' }

function roleOf({ response_format: format, tool_choice: choice, messages = [] }: StubRequest): AgentRole {
  const name = format?.json_schema?.name ?? (choice === 'auto' ? undefined : choice?.function.name)
  if (name !== undefined) return ROLE_BY_SCHEMA[name] ?? 'reviewer'
  const asked = messages.map(({ content }) => content?.split('\n# The form of the answer\n')[1] ?? '').join('')
  const found = Object.entries(ROLE_BY_PROPERTY).find(([property]) => asked.includes(property))
  if (found !== undefined) return found[1]
  const isSummary = messages.some(({ content }) => (content ?? '').includes('\n# The summary so far\n'))
  return isSummary ? 'summarizer' : 'messenger'
}

function answer(step: StubAnswer, call: StubCall, response: ServerResponse): void {
  if (typeof step === 'function') return step(response)
  if (typeof step === 'string') return complete({ content: step }, call, response)
  if ('status' in step) return answerHttp(step, response)
  complete(step, call, response)
}

function answerHttp({ status, headers, body }: StubHttp, response: ServerResponse): void {
  const isText = typeof body === 'string' || Buffer.isBuffer(body)
  response.writeHead(status, { 'content-type': isText ? 'text/plain' : 'application/json', ...headers })
  response.end(isText ? body : JSON.stringify(body ?? {}))
}

function complete(completion: StubCompletion, call: StubCall, response: ServerResponse): void {
  if (call.body.stream === true && completion.whole !== true) {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(eventStream(completion))
  } else answerWhole(completion, response)
}

/** One JSON document; also for a handler that answers later. */
export function answerWhole(completion: StubCompletion, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify(documentOf(completion)))
}

/** The answer as the events of a stream. */
function eventStream(completion: StubCompletion): string {
  const { refusal, toolCalls, finishReason = 'stop', usage = DEFAULT_USAGE } = completion
  const extra = {
    ...(refusal === undefined ? {} : { refusal }),
    ...(toolCalls === undefined ? {} : { tool_calls: toolCalls }),
  }
  const pieces = completion.pieces ?? [textOf(completion.content)]
  const choices = [
    ...pieces.map((content) => ({ index: 0, delta: { role: 'assistant', content, ...extra }, finish_reason: null })),
    { index: 0, delta: {}, finish_reason: finishReason },
  ]
  // Clients take two answers of one id for one.
  const id = randomUUID()
  const events = [...choices.map((choice) => chunk([choice], { id })), chunk([], { usage, id })]
  // One without a reason has broken off.
  return [...events.map(sse), ...(finishReason === null ? [] : ['data: [DONE]\n\n'])].join('')
}

/** One event of a stream. */
export function sse(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`
}

/** A chunk of a streamed completion. */
export function chunk(choices: readonly unknown[], more: object = {}): object {
  return { id: 'stub', object: 'chat.completion.chunk', created: 0, model: 'stub', choices, ...more }
}

function documentOf(completion: StubCompletion): object {
  const { refusal = null, toolCalls, finishReason = 'stop', usage = DEFAULT_USAGE } = completion
  const content = completion.pieces?.join('') ?? textOf(completion.content)
  const message = { role: 'assistant', content, refusal, ...(toolCalls === undefined ? {} : { tool_calls: toolCalls }) }
  const whole = chunk([{ index: 0, message, finish_reason: finishReason }], { usage, id: randomUUID() })
  return { ...whole, object: 'chat.completion' }
}

function textOf(content: unknown): string | null {
  return content === undefined ? null : typeof content === 'string' ? content : JSON.stringify(content)
}
