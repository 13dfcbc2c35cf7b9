/**
 * The pieces of which nearly all streams consist: some text of an answer, its end, or what it has cost. Read without a
 * schema, since a long answer has thousands; whatever else is in one, the schema of `chat-answer.ts` reads it.
 */

/** What such a piece says. */
export interface PlainPart {
  readonly text: string
  readonly finishReason: unknown
  readonly model: unknown
  readonly usage: PlainUsage | null
}

interface PlainUsage {
  readonly prompt_tokens?: unknown
  readonly completion_tokens?: unknown
  readonly total_tokens?: unknown
  readonly prompt_tokens_details?: { readonly cached_tokens?: unknown } | null
}

const PIECE = new Set(['id', 'object', 'created', 'model', 'service_tier', 'system_fingerprint', 'choices', 'usage'])
const CHOICE = new Set(['index', 'delta', 'finish_reason', 'logprobs'])
const DELTA = new Set(['role', 'content', 'refusal'])
const COST = new Set(['prompt_tokens', 'completion_tokens', 'total_tokens', 'prompt_tokens_details'])

/** Null: there is something else in it, or it is no piece at all. */
export function readPlainPart(value: unknown): PlainPart | null {
  if (!hasOnly(value, PIECE) || !Array.isArray(value['choices'])) return null
  const usage = value['usage'] ?? null
  if (usage !== null && !isPlainUsage(usage)) return null
  const [choice, ...more] = value['choices'] as readonly unknown[]
  const { model } = value
  if (choice === undefined) return { text: '', finishReason: null, model, usage }
  if (more.length > 0 || !hasOnly(choice, CHOICE)) return null
  const { delta, finish_reason: finishReason } = choice
  if (!hasOnly(delta, DELTA) || (delta['refusal'] ?? null) !== null) return null
  const text = delta['content'] ?? ''
  return typeof text === 'string' ? { text, finishReason, model, usage } : null
}

function isPlainUsage(value: unknown): value is PlainUsage {
  if (!hasOnly(value, COST)) return false
  const details = value['prompt_tokens_details'] ?? null
  return details === null || isRecord(details)
}

function hasOnly(value: unknown, names: ReadonlySet<string>): value is Readonly<Record<string, unknown>> {
  if (!isRecord(value)) return false
  for (const name in value) if (!names.has(name)) return false
  return true
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
