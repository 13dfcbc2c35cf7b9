/** One call of a language model, as it is recorded: what it cost and how it ended, never its prompt or its answer. */
export type AgentRole = 'planner' | 'reviewer' | 'messenger' | 'curator' | 'summarizer' | 'paraphraser'

export interface ModelCallRecord {
  readonly role: AgentRole
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
}
