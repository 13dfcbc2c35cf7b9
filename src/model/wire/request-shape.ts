/**
 * In what form a provider takes a request: found out from its refusals, once for each model, and remembered
 * (form-memory.ts). What `[providers.x]` says is never changed.
 */
import type { RequestSettings, StructuredOutput } from '../../config/config.ts'
import type { Complaint } from '../complaint.ts'

/** How a request is put; each field has another value to try. */
export interface RequestShape {
  readonly structuredOutput: StructuredOutput
  readonly streams: boolean
  /** Asks for the tokens at the end of a stream. */
  readonly asksUsage: boolean
  readonly systemRole: 'system' | 'developer' | 'user'
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens'
  /** Ids of calls as their models gave them, or of nine letters and digits. */
  readonly callIds: 'given' | 'short'
  /** In place of the reasoning behind earlier answers, which is not kept. */
  readonly thoughtMark: 'none' | 'reasoning_content' | 'thought_signature'
  /** What may follow the results of tools. */
  readonly afterTools: 'user' | 'assistant'
}

const USUAL: RequestShape = {
  structuredOutput: 'json_schema',
  streams: true,
  asksUsage: true,
  systemRole: 'system',
  maxTokensField: 'max_tokens',
  callIds: 'given',
  thoughtMark: 'none',
  afterTools: 'user',
}
/** From the strictest to what every model takes. */
const STRUCTURED: readonly StructuredOutput[] = ['json_schema', 'json_object', 'tool', 'prompt']

/** Of a provider that differs in nothing. */
export const USUAL_REQUEST: RequestSettings = {
  headers: {},
  query: {},
  apiKeyHeader: null,
  extraBody: {},
  idleTimeoutMs: null,
  structuredOutput: null,
  streams: null,
  systemRole: null,
  maxTokens: null,
  maxTokensField: null,
}

/** As config.toml says, else as was found out, else as is usual. */
export function shapeOf(found: Partial<RequestShape>, settings: RequestSettings): RequestShape {
  return { ...USUAL, ...found, ...fixedBy(settings) }
}

function fixedBy({ structuredOutput, streams, systemRole, maxTokensField }: RequestSettings): Partial<RequestShape> {
  return {
    ...(structuredOutput === null ? {} : { structuredOutput }),
    ...(streams === null ? {} : { streams }),
    ...(systemRole === null ? {} : { systemRole }),
    ...(maxTokensField === null ? {} : { maxTokensField }),
  }
}

interface Refused {
  readonly shape: RequestShape
  readonly settings: RequestSettings
  readonly wantsSchema: boolean
}

/** The form to try next, or null when the complaint is not about the form, or nothing is left to try. */
export function shapeAfter(complaint: Complaint, { shape, settings, wantsSchema }: Refused): RequestShape | null {
  const { status } = complaint
  const isAboutRequest = status !== null && [400, 404, 405, 415, 422, 500, 501].includes(status)
  if (!isAboutRequest) return null
  const words = `${complaint.labels} ${complaint.message}`
  const isFree = (key: keyof RequestSettings): boolean => settings[key] === null
  if (shape.asksUsage && shape.streams && /stream_options/i.test(words)) return { ...shape, asksUsage: false }
  if (shape.streams && isFree('streams') && STREAM_REFUSED.test(words)) return { ...shape, streams: false }
  if (settings.maxTokens !== null && isFree('maxTokensField') && new RegExp(shape.maxTokensField).test(words)) {
    const other = shape.maxTokensField === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens'
    // Only one way round: a limit that is too high is complained of under both names.
    return other === 'max_completion_tokens' && /max_completion_tokens|unsupported/i.test(words)
      ? { ...shape, maxTokensField: other }
      : null
  }
  if (shape.systemRole !== 'user' && isFree('systemRole') && ROLE_REFUSED.test(words))
    return { ...shape, systemRole: 'user' }
  if (!wantsSchema) return roundsAfter(words, shape)
  if (!isFree('structuredOutput') || !FORM_REFUSED[shape.structuredOutput].test(words)) return null
  const next = STRUCTURED[STRUCTURED.indexOf(shape.structuredOutput) + 1]
  return next === undefined ? null : { ...shape, structuredOutput: next }
}

/** The form in which a conversation goes on, when how it did is refused. */
function roundsAfter(words: string, shape: RequestShape): RequestShape | null {
  if (shape.callIds === 'given' && CALL_ID_REFUSED.test(words)) return { ...shape, callIds: 'short' }
  if (shape.afterTools === 'user' && ORDER_REFUSED.test(words)) return { ...shape, afterTools: 'assistant' }
  if (shape.thoughtMark !== 'none') return null
  if (/reasoning_content/.test(words)) return { ...shape, thoughtMark: 'reasoning_content' }
  return /thought_?signature/i.test(words) ? { ...shape, thoughtMark: 'thought_signature' } : null
}

const CALL_ID_REFUSED = /tool.?(call|use)s?(\[\d+\])?.{0,3}ids?\b.{0,80}(length|pattern|too long)/i
const ORDER_REFUSED = /role .user. after role .tool|roles must alternate|should alternate with assistant/i
const STREAM_REFUSED =
  /(?<!_)stream(ing|ed)?\b(?!_).{0,60}(not support|unsupported|not allowed|not available)|not support.{0,20}\bstream(ing)?\b(?!_)/i
const ROLE_REFUSED =
  /(system|developer).{0,20}(role|message|instruction|prompt).{0,60}(not support|unsupported|not enabled|not allowed)|not support.{0,20}(system|developer).{0,3}(role|message|instruction|prompt)|unknown variant .system/i
const JSON_WORDS = /response_format|response_mime_type|json_object|json mode|structured.output|guided|grammar|schema/i
const FORM_REFUSED: Readonly<Record<StructuredOutput, RegExp>> = {
  json_schema: JSON_WORDS,
  json_object: JSON_WORDS,
  tool: /tool|function/i,
  prompt: /$^/,
}
