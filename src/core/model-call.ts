/** One call of a language model, as it is recorded: what it cost, how it ended, and for some days what was said. */

/**
 * The roles that a language model plays, in the order in which a turn calls them; checkpoints call the last. Each is a
 * key of [models] in config.toml.
 */
export const AGENT_ROLES = [
  'planner',
  'reviewer',
  'messenger',
  'assistant',
  'curator',
  'summarizer',
  'paraphraser',
  'introspector',
] as const
export type AgentRole = (typeof AGENT_ROLES)[number]

/** What each role has of something. */
export function forEachRole<T>(of: (role: AgentRole) => T): Record<AgentRole, T> {
  return Object.fromEntries(AGENT_ROLES.map((role) => [role, of(role)])) as Record<AgentRole, T>
}

/** What models are called as: a role, or to say by numbers what texts mean, which takes no prompt. */
export type CalledAs = AgentRole | 'embedder'

/** The system prompts: one for each role, and one for the summarizer's other job, to consolidate the facts. */
export const PROMPT_NAMES = [...AGENT_ROLES, 'consolidator'] as const
export type PromptName = (typeof PROMPT_NAMES)[number]

/** What was sent and answered. It goes into a table of its own (`model_call_texts`), never into the audit. */
export interface ModelCallTexts {
  readonly system: string
  /** SHA-256 (hex) of a system prompt that prompt files alone make, so that it may be kept once for all sessions. */
  readonly sharedSha256: string | null
  readonly prompt: string
  /** Null: the call gave none. */
  readonly answer: string | null
}

export interface ModelCallRecord {
  readonly role: CalledAs
  readonly provider: string
  readonly model: string
  /** "OK", or the code of the AppError it ended with. */
  readonly status: string
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cachedTokens: number
  readonly cost: number | null
  readonly durationMs: number
  readonly at: Date
  /** Null: they are not to be kept (`prompt_retention_days`). */
  readonly texts: ModelCallTexts | null
}

/**
 * For calls without an answer that could name the secrets of a message: what the prompt holds is not known. And where
 * the texts are written beside the call.
 */
export function withoutTexts(call: ModelCallRecord): ModelCallRecord {
  return { ...call, texts: null }
}
