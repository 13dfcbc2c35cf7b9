/**
 * One call of a tool, and how it ended. What must hold: `failed` only when the server has said so, or the call surely
 * did not reach it; everything else that is no answer is `unknown`.
 */
import {
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  type Client,
  type Progress,
} from '@modelcontextprotocol/client'
import { toStorable } from '../platform/well-formed.ts'
import type { ToolCall, ToolOutcome, ToolProgress } from '../tools/tool.ts'
import { isUnsent } from './is-unsent.ts'
import { MAX_PROGRESS_CHARS, MAX_ANSWER_BYTES } from './limits.ts'
import * as z from 'zod'

const MAX_COMPLAINT_CHARS = 2000
const NO_ANSWER = 'It answered with something that is no answer of a tool.'

export interface CallOptions {
  /** As the server calls it. */
  readonly remoteName: string
  readonly timeoutMs: number
  /** `_meta` of the call: where it stands in a trace, or nothing. */
  readonly meta: Readonly<Record<string, string>>
}

/** Never rejects but for bugs. */
export async function callServerTool(client: Client, call: ToolCall, options: CallOptions): Promise<ToolOutcome> {
  const { signal, args } = call
  if (signal.aborted) return { kind: 'failed', text: 'It was not called: the turn was stopped before.' }
  const timeout = Math.min(call.timeoutMs, options.timeoutMs)
  const _meta = { ...options.meta }
  const params = { name: options.remoteName, arguments: { ...args }, ...(isEmpty(_meta) ? {} : { _meta }) }
  const request = { method: 'tools/call', params } as const
  try {
    const onprogress = (progress: Progress): void => call.onProgress(toProgress(progress))
    const answer = await client.request(request, answerSchema, {
      signal,
      timeout,
      maxTotalTimeout: timeout,
      onprogress,
    })
    return { kind: answer.isError ? 'failed' : 'done', text: answerText(answer) }
  } catch (error) {
    if (signal.aborted) return { kind: 'unknown', text: 'It was stopped while it ran.' }
    return describe(error, timeout)
  }
}

function isEmpty(meta: object): boolean {
  return Object.keys(meta).length === 0
}

function describe(error: unknown, timeoutMs: number): ToolOutcome {
  if (error instanceof ProtocolError) {
    const complaint = toStorable(error.message.slice(0, MAX_COMPLAINT_CHARS))
    return { kind: 'failed', text: `The server refused the call: ${complaint}` }
  }
  if (isUnsent(error)) return { kind: 'failed', text: 'It was not called: the server cannot be reached.' }
  if (error instanceof SdkHttpError && isRefusal(error.status))
    return { kind: 'failed', text: `The server refused the call (HTTP ${error.status}).` }
  if (error instanceof RangeError) return { kind: 'unknown', text: NO_ANSWER } // nested deeper than can be written
  if (!(error instanceof SdkError)) return { kind: 'unknown', text: 'The connection broke off during the call.' }
  if (error.code === SdkErrorCode.RequestTimeout)
    return { kind: 'unknown', text: `It did not answer within ${timeoutMs / 1000} s.` }
  if (error.code === SdkErrorCode.InvalidResult) return { kind: 'unknown', text: NO_ANSWER }
  return { kind: 'unknown', text: 'The server ended the connection during the call.' }
}

function isRefusal(status: number | undefined): boolean {
  return status !== undefined && status >= 400 && status < 500 && status !== 408
}

function toProgress({ progress, total, message }: Progress): ToolProgress {
  const shown = message === undefined ? null : toStorable(message.slice(0, MAX_PROGRESS_CHARS))
  return { done: progress, total: total ?? null, message: shown }
}

/** Loose, so that one odd part does not lose the rest of what a call that has happened says. */
const answerSchema = z.object({
  content: z.array(z.unknown()).default([]),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().default(false),
})

type Answer = z.output<typeof answerSchema>

const textSchema = z.object({ type: z.literal('text'), text: z.string() })
const binarySchema = z.object({ type: z.enum(['image', 'audio']), mimeType: z.string().default('?') })
const linkSchema = z.object({ type: z.literal('resource_link'), uri: z.string() })
const resourceSchema = z.object({
  type: z.literal('resource'),
  resource: z.object({ uri: z.string(), text: z.string().optional() }),
})

/**
 * What a tool answered, as text: the kinds of content that models cannot read as text are named, not shown.
 * Bounded as outputs of commands are, and fit to be stored.
 */
function answerText({ content, structuredContent }: Answer): string {
  const parts = content.map(partText)
  const text =
    parts.length === 0 && structuredContent !== undefined ? JSON.stringify(structuredContent) : parts.join('\n')
  const bytes = Buffer.from(toStorable(text))
  if (bytes.length <= MAX_ANSWER_BYTES) return bytes.toString()
  // A character that is cut in two becomes U+FFFD.
  return `${bytes
    .subarray(0, MAX_ANSWER_BYTES)
    .toString()
    .replace(/\uFFFD$/, '')}\n[the rest is cut off]`
}

function partText(part: unknown): string {
  const text = textSchema.safeParse(part)
  if (text.success) return text.data.text
  const resource = resourceSchema.safeParse(part)
  if (resource.success) return resource.data.resource.text ?? `[resource ${resource.data.resource.uri}: not text]`
  const link = linkSchema.safeParse(part)
  if (link.success) return `[resource ${link.data.uri}]`
  const binary = binarySchema.safeParse(part)
  return binary.success ? `[${binary.data.type} ${binary.data.mimeType}: not shown]` : '[content of an unknown kind]'
}
