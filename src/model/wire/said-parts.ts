/**
 * What a message of Chat Completions says: its content as a text or as parts, its reasoning under the names in use, and
 * why it ended, in the protocol's own words.
 */
import * as z from 'zod'

const part = z.looseObject({
  type: z.string().nullish().catch(null),
  text: z.string().nullish().catch(null),
  refusal: z.string().nullish().catch(null),
  thinking: z.unknown().optional(),
  reasoning: z.unknown().optional(),
  summary: z.unknown().optional(),
})

/** A message, or a piece of one. */
export const saidSchema = z.looseObject({
  content: z.union([z.string(), z.array(z.union([z.string(), part])), part]).nullish(),
  refusal: z.string().nullish().catch(null),
  tool_calls: z.array(z.unknown()).nullish().catch(null),
  // One call, as it was before tools.
  function_call: z.unknown().optional(),
  // What a model shows of its reasoning: three names for it are in use.
  reasoning: z.unknown().optional(),
  reasoning_content: z.unknown().optional(),
  thinking: z.unknown().optional(),
})

interface Parts {
  readonly text: string
  readonly thought: string
  readonly refusal: string
}

/** Everything in it, in order; what is no text is left out. */
export function readSaid(said: z.output<typeof saidSchema>): Parts {
  const { content, refusal, reasoning, reasoning_content: reasoningContent, thinking } = said
  const thought = [reasoning, reasoningContent, thinking].map(textIn).find((text) => text !== '') ?? ''
  const listed = Array.isArray(content) ? content : content === null || content === undefined ? [] : [content]
  const read = listed.map(readPart)
  return {
    text: read.map(({ text }) => text).join(''),
    thought: thought + read.map((one) => one.thought).join(''),
    refusal: (refusal ?? '') + read.map((one) => one.refusal).join(''),
  }
}

function readPart(one: string | z.output<typeof part>): Parts {
  if (typeof one === 'string') return { text: one, thought: '', refusal: '' }
  const type = one.type ?? 'text'
  if (/think|reason|thought/.test(type)) {
    const thought = [one.text, one.thinking, one.reasoning, one.summary].map(textIn).find((text) => text !== '') ?? ''
    return { text: '', thought, refusal: '' }
  }
  return { text: /text/.test(type) ? (one.text ?? '') : '', thought: '', refusal: one.refusal ?? '' }
}

/** The texts in a value that is one, or a list of them, or holds one. */
function textIn(value: unknown): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map(textIn).join('')
  if (typeof value !== 'object' || value === null) return ''
  return 'text' in value ? textIn(value.text) : ''
}

const REASONS: Readonly<Record<string, string>> = {
  max_tokens: 'length',
  max_output_tokens: 'length',
  model_length: 'length',
  length_limit: 'length',
  model_context_window_exceeded: 'length',
  safety: 'content_filter',
  recitation: 'content_filter',
  blocklist: 'content_filter',
  prohibited_content: 'content_filter',
  spii: 'content_filter',
  sensitive: 'content_filter',
  refusal: 'content_filter',
  insufficient_system_resource: 'error',
  network_error: 'error',
  abort: 'error',
  aborted: 'error',
  cancelled: 'error',
}

/** `length`, `content_filter`, `error`, or what was said; null: nothing. */
export function readFinishReason(value: unknown): string | null {
  if (typeof value !== 'string' || value === '' || value === 'null') return null
  const reason = value.toLowerCase()
  return REASONS[reason] ?? reason
}
