/** What a tool answered, as text: the kinds of content that models cannot read as text are named, not shown. */
import * as z from 'zod'
import { toStorable } from '../platform/well-formed.ts'
import { MAX_ANSWER_BYTES } from './limits.ts'

/** Loose, so that one odd part does not lose the rest of what a call that has happened says. */
export const answerSchema = z.object({
  content: z.array(z.unknown()).default([]),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().default(false),
})

export type Answer = z.output<typeof answerSchema>

const textSchema = z.object({ type: z.literal('text'), text: z.string() })
const binarySchema = z.object({ type: z.enum(['image', 'audio']), mimeType: z.string().default('?') })
const linkSchema = z.object({ type: z.literal('resource_link'), uri: z.string() })
const resourceSchema = z.object({
  type: z.literal('resource'),
  resource: z.object({ uri: z.string(), text: z.string().optional() }),
})

/** Bounded as outputs of commands are, and fit to be stored. */
export function answerText({ content, structuredContent }: Answer): string {
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
