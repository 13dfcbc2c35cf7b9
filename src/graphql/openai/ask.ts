/** What a client of OpenAI's API asks for, in words of ours; from the body of either endpoint, and the headers. */
import type { IncomingHttpHeaders } from 'node:http'
import * as z from 'zod'
import { must } from '../../platform/must.ts'
import { bodyProblem } from './body-problem.ts'
import { invalid, OpenAIError } from './openai-error.ts'

const DEFAULT_TIMEOUT_S = 600
/** The longest that a client may wait for a turn, in seconds. */
export const MAX_TIMEOUT_S = 3600
/** What attempts take besides waiting: the pauses between them. */
const PAUSES_MS = 5 * 60_000
const MAX_RETRIES = 10

export interface SpokenText {
  readonly role: 'user' | 'assistant'
  readonly text: string
}

export interface Ask {
  readonly model: string
  /** The last message of the user: what is sent. */
  readonly text: string
  /** Where it stands in the body. */
  readonly param: 'messages' | 'input'
  /** What the client repeats of what was said before. */
  readonly history: readonly SpokenText[]
  /** Its system prompt. */
  readonly instructions: string | null
  /** As the client names it; null: it names none. */
  readonly session: string | null
  /** Of the Responses API: the turn, or the approval, whose response it follows. */
  readonly previousId: string | null
  readonly stream: boolean
  /** Of the Responses API: it is answered at once, and read when it is done. */
  readonly background: boolean
  readonly includeUsage: boolean
  readonly timeoutMs: number
  /** Whether the turn ends when its client leaves. */
  readonly cancelsOnLeave: boolean
  /** Of a connector: whom it is from. */
  readonly user: string | null
  readonly idempotencyKey: string | null
  /** The client's library sends it again, because it had no answer. */
  readonly isRetry: boolean
  /** How long ago its first attempt can have been at most. */
  readonly triedWithinMs: number
}

const text = z.union([z.string(), z.array(z.looseObject({ type: z.string(), text: z.string().nullish() }))])
export type ContentOfMessage = z.infer<typeof text>

export const messageSchema = z.looseObject({ role: z.string(), content: text.nullish() })

/** Of the answer that is wanted. */
export const formatSchema = z.looseObject({ type: z.string() }).nullish()

/** What both endpoints have. Whatever else a client sets, such as a temperature, is the server's to choose. */
export const commonSchema = z.looseObject({
  model: z.string().min(1).max(200),
  stream: z.boolean().nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
  user: z.string().max(255).nullish(),
  tools: z.array(z.unknown()).nullish(),
  functions: z.array(z.unknown()).nullish(),
  tool_choice: z.unknown().optional(),
})
export type Common = z.infer<typeof commonSchema>

/** `at`: where the body stands, if it is part of another. */
export function parseBody<Body>(schema: z.ZodType<Body>, body: unknown, at: readonly PropertyKey[] = []): Body {
  const parsed = schema.safeParse(body)
  if (parsed.success) return parsed.data
  const { sentence, param } = bodyProblem(must(parsed.error.issues[0], 'what is not valid has an issue'), body, at)
  throw invalid(sentence, param)
}

/** Tools run here, with the rights of the token; a call that the client would run cannot be offered to the agent. */
export function refuseTools({ tools, functions, tool_choice: choice }: Common): void {
  if (choice === 'none' || ((tools ?? []).length === 0 && (functions ?? []).length === 0)) return
  const message =
    'The agent calls tools of this server, not of its callers: leave "tools" out. An MCP server that config.toml ' +
    'names under [mcp] brings tools to the agent.'
  throw new OpenAIError(message, { status: 400, code: 'unsupported_parameter', param: 'tools' })
}

export function refuseFormat(format: z.infer<typeof formatSchema>, param: string): void {
  if ((format?.type ?? 'text') === 'text') return
  const sentence = 'answers are texts. Leave it out, and say in the message which form the answer is to have.'
  throw invalid(`${param}: ${sentence}`, param, 'unsupported_parameter')
}

/** Texts alone. */
export function textOf(content: ContentOfMessage | null | undefined, param: string): string {
  if (content == null) return ''
  if (typeof content === 'string') return content
  const texts = content.map((part) => {
    if (typeof part.text === 'string') return part.text
    const message =
      `${part.type}: only text is taken here. Put files into the session first, with PUT /files/<session>/<name>, ` +
      'its id as x-factotum-session says it.'
    throw invalid(message, param, 'unsupported_content')
  })
  return texts.join('\n')
}

/** Header before metadata: what an operator sets for a client stands. */
export function readOptions(body: Common, headers: IncomingHttpHeaders): Omit<Ask, FromMessages> {
  const named = (name: string): string | null => {
    const header = headers[`x-factotum-${name}`]
    return (
      (typeof header === 'string' && header !== '' ? header : null) ??
      body.metadata?.[name.replaceAll('-', '_')] ??
      null
    )
  }
  const key = headers['idempotency-key']
  const seconds = Number(named('timeout') ?? DEFAULT_TIMEOUT_S)
  if (!(seconds >= 1 && seconds <= MAX_TIMEOUT_S))
    throw invalid(`timeout: must be 1 to ${MAX_TIMEOUT_S} seconds.`, 'metadata.timeout')
  const retries = Number(headers['x-stainless-retry-count'] ?? 0) || 0
  return {
    model: body.model,
    session: named('session'),
    stream: body.stream === true,
    timeoutMs: seconds * 1000,
    cancelsOnLeave: named('cancel-on-disconnect') === 'true',
    user: named('user') ?? body.user ?? null,
    idempotencyKey: typeof key === 'string' && key !== '' ? key : null,
    isRetry: retries > 0,
    triedWithinMs: triedWithin(retries, seconds, headers),
  }
}

/** Each attempt before lasted as long as its client waits, or, where that is not said, as the server lets it wait. */
function triedWithin(retries: number, seconds: number, headers: IncomingHttpHeaders): number {
  const said = Number(headers['x-stainless-timeout'] ?? headers['x-stainless-read-timeout'] ?? 0)
  const attempt = Math.min(Math.max(said > 0 ? said : 0, seconds, DEFAULT_TIMEOUT_S), MAX_TIMEOUT_S)
  return Math.min(retries, MAX_RETRIES) * attempt * 1000 + PAUSES_MS
}
type FromMessages = 'text' | 'param' | 'history' | 'instructions' | 'previousId' | 'includeUsage' | 'background'

interface FromRoles {
  readonly text: string
  readonly param: Ask['param']
  readonly history: readonly SpokenText[]
  readonly instructions: string | null
}

/** Of another agent's calls, in a conversation that comes from there. */
const PASSED_OVER: ReadonlySet<string> = new Set(['tool', 'function'])

/**
 * The last must be of the user. What was said before it is only compared: of that no more than texts is read. `places`:
 * where they stand in the client's list, if that has others, too.
 */
export function readMessages(
  messages: readonly { readonly role: string; readonly content?: ContentOfMessage | null | undefined }[],
  param: Ask['param'],
  places?: readonly number[],
): FromRoles {
  const instructions: string[] = []
  const said: SpokenText[] = []
  const newest = messages.findLastIndex(({ role }) => !isInstruction(role))
  for (const [index, { role, content }] of messages.entries()) {
    if (index < newest && PASSED_OVER.has(role)) continue
    const read = index < newest && !isInstruction(role) ? textsAlone(content) : content
    const place = `${param}.${places?.[index] ?? index}`
    const text = textOf(read, `${place}.content`)
    if (isInstruction(role)) instructions.push(text)
    else if (role === 'user' || role === 'assistant') said.push({ role, text })
    else
      throw invalid(
        `${place}.role: must be "system", "developer", "user" or "assistant", not "${role}".`,
        `${place}.role`,
      )
  }
  const last = said.pop()
  if (last?.role !== 'user')
    throw invalid(`${param}: the last message must be one of the user, {"role":"user","content":"…"}.`, param)
  if (last.text === '') throw invalid(`${param}: the last message must not be empty.`, param)
  return { text: last.text, param, history: said, instructions: instructions.join('\n\n').trim() || null }
}

function isInstruction(role: string): boolean {
  return role === 'system' || role === 'developer'
}

function textsAlone(content: ContentOfMessage | null | undefined): ContentOfMessage | null | undefined {
  return Array.isArray(content) ? content.filter(({ text }) => typeof text === 'string') : content
}
