/** What a call of a model has cost in tokens. */

/** As the provider counts them, over all tries of a call; 0 where it does not say. */
export interface TokenCounts {
  readonly inputTokens: number
  readonly outputTokens: number
  /** How many of the input tokens came from the provider's cache. */
  readonly cachedTokens: number
}

/** Of a try that never reached a model, or whose cost the provider does not say. */
export const NO_TOKENS: TokenCounts = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 }
