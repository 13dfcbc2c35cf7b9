/** What a model call cost, by the prices of the configuration. */
import type { Price } from '../config/config.ts'
import type { TokenCounts } from '../model/token-counts.ts'

const TOKENS_PER_PRICE = 1_000_000

/** In the currency of `[prices]`; null where no price is set. Cached tokens are part of the input tokens. */
export function costOf(price: Price | undefined, tokens: TokenCounts): number | null {
  if (price === undefined) return null
  const uncached = Math.max(0, tokens.inputTokens - tokens.cachedTokens)
  return (
    (uncached * price.input + tokens.cachedTokens * price.cached + tokens.outputTokens * price.output) /
    TOKENS_PER_PRICE
  )
}
