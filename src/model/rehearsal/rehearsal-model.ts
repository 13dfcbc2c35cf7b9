/**
 * The rehearsal model: a deterministic stand-in that answers while no provider is configured, so that everything works
 * without a key. It is a `fetch` that speaks Chat Completions; the openai client, the retries and the parsing above it
 * are those of a real provider. It says of itself, in every answer, that it is no language model.
 * `rehearsal-answers.ts` is its grammar.
 */
import * as z from 'zod'
import type { Clock } from '../../platform/clock.ts'
import type { Fetch } from '../wire/http-transport.ts'
import type { Endpoint } from '../provider-call.ts'
import { USUAL_REQUEST } from '../wire/request-shape.ts'
import { answerRehearsal } from './rehearsal-answers.ts'
import { isPrompt, readPrompt } from './rehearsal-prompt.ts'
import { rehearseConversation, type RehearsedAnswer } from './rehearsal-conversation.ts'

interface RehearsalOptions {
  readonly clock: Clock
  /** The pause between the pieces of a text, so that people see it stream. */
  readonly pieceDelayMs: number
}

/**
 * An endpoint without a network: its `fetch` answers in this process, without an idle limit, and ends early only by the
 * signal.
 */
export function createRehearsalEndpoint(options: RehearsalOptions): Endpoint {
  const fetch: Fetch = (_, init) => answerRequest(options, init ?? {})
  const baseUrl = 'http://rehearsal.invalid/v1'
  const known = { apiKeyEnv: null, apiKey: null, api: 'chat', request: USUAL_REQUEST } as const
  return { ...known, baseUrl, fetchWithin: () => fetch }
}

const requestSchema = z.object({
  model: z.string(),
  messages: z.array(
    z.object({ role: z.string(), content: z.string().nullable(), tool_calls: z.array(z.unknown()).optional() }),
  ),
  response_format: z.object({ json_schema: z.object({ name: z.string() }) }).optional(),
})
type RehearsalRequest = z.output<typeof requestSchema>

async function answerRequest(
  { clock, pieceDelayMs }: RehearsalOptions,
  { body, signal }: RequestInit,
): Promise<Response> {
  const request = requestSchema.parse(JSON.parse(typeof body === 'string' ? body : ''))
  const prompt = request.messages.findLast((message) => message.role === 'user')?.content ?? ''
  const schemaName = request.response_format?.json_schema.name ?? null
  const { waitMs, ...answer } = answerOf(request, prompt, schemaName)
  const sleep = async (ms: number): Promise<void> => {
    if (ms > 0) await clock.sleep(ms, signal ?? undefined)
    signal?.throwIfAborted()
  }
  await sleep(waitMs)
  const usage = { prompt_tokens: countTokens(prompt), completion_tokens: countTokens(answer.text) }
  const inPieces = schemaName === null ? { ...answer, splits: true } : { ...answer, splits: false }
  const events = streamEvents({ model: request.model, answer: inPieces, usage, pause: () => sleep(pieceDelayMs) })
  return new Response(toStream(events), { headers: { 'content-type': 'text/event-stream' } })
}

function answerOf(request: RehearsalRequest, prompt: string, schemaName: string | null): RehearsedAnswer {
  const isConversation =
    !isPrompt(prompt) || readPrompt(prompt).some(({ heading }) => heading === 'The message to answer')
  if (schemaName !== null || !isConversation) return { thinking: '', calls: [], ...answerRehearsal(prompt, schemaName) }
  const heard = request.messages.map(({ role, content, tool_calls: calls }) => ({
    role,
    content: content ?? '',
    calls: calls?.length ?? 0,
  }))
  return rehearseConversation(heard)
}

function toStream(events: AsyncGenerator<Uint8Array<ArrayBuffer>>): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    pull: async (reader) => {
      const { value, done } = await events.next()
      if (done === true) reader.close()
      else reader.enqueue(value)
    },
    cancel: async () => {
      await events.return(undefined)
    },
  })
}

interface Stream {
  readonly model: string
  /** `splits`: its text comes in pieces. */
  readonly answer: Omit<RehearsedAnswer, 'waitMs'> & { readonly splits: boolean }
  readonly usage: Readonly<Record<string, number>>
  /** Rejects when the caller has gone. */
  readonly pause: () => Promise<void>
}

async function* streamEvents({ model, answer, usage, pause }: Stream): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder()
  const event = (choices: readonly unknown[], more: object = {}): Uint8Array<ArrayBuffer> => {
    const chunk = { id: 'rehearsal', object: 'chat.completion.chunk', created: 0, model, choices, ...more }
    return encoder.encode(`data: ${JSON.stringify(chunk)}\n\n`)
  }
  const piece = (delta: object): Uint8Array<ArrayBuffer> => event([{ index: 0, delta, finish_reason: null }])
  for (const reasoning of splitText(answer.thinking)) {
    yield piece({ role: 'assistant', reasoning })
    await pause()
  }
  for (const [index, content] of (answer.splits ? splitText(answer.text) : [answer.text]).entries()) {
    if (index > 0) await pause()
    yield piece({ role: 'assistant', content })
  }
  for (const [index, { name, args }] of answer.calls.entries())
    yield piece({ tool_calls: [{ index, id: `call_${index}`, type: 'function', function: { name, arguments: args } }] })
  yield event([{ index: 0, delta: {}, finish_reason: answer.calls.length > 0 ? 'tool_calls' : 'stop' }])
  yield event([], { usage })
  yield encoder.encode('data: [DONE]\n\n')
}

/** A few words a piece, as real models write; more in a long text, so that it is through in a moment all the same. */
function splitText(text: string): string[] {
  const words = text.match(/\S*\s+|\S+/g) ?? []
  const size = Math.max(4, Math.ceil(words.length / MAX_PIECES))
  return Array.from({ length: Math.ceil(words.length / size) }, (_, at) =>
    words.slice(at * size, (at + 1) * size).join(''),
  )
}

const MAX_PIECES = 24

/** A rule of thumb, so that usage has plausible numbers: four characters are a token. */
function countTokens(text: string): number {
  return Math.ceil(text.length / 4)
}
