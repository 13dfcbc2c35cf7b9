/** What model calls cost, of a session, a turn or a completed turn's event. */
import type { Usage } from '../../../core/usage.ts'
import { AUTHENTICATED } from '../access.ts'
import { builder } from '../builder.ts'

/** GraphQL's Int has 32 bits; a session can count further. */
const MAX_INT = 2_147_483_647

export const UsageType = builder.objectRef<Usage>('Usage').implement({
  description: `What model calls have cost. Counts stop at ${MAX_INT}.`,
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    calls: t.int({
      description: 'Calls of a model, failed ones included.',
      resolve: (usage) => Math.min(usage.calls, MAX_INT),
    }),
    inputTokens: t.int({
      description: 'Tokens read, as the provider counts them.',
      resolve: (usage) => Math.min(usage.inputTokens, MAX_INT),
    }),
    outputTokens: t.int({
      description: 'Tokens written, as the provider counts them.',
      resolve: (usage) => Math.min(usage.outputTokens, MAX_INT),
    }),
    cachedTokens: t.int({
      description: 'The part of inputTokens that the provider took from its cache.',
      resolve: (usage) => Math.min(usage.cachedTokens, MAX_INT),
    }),
    cost: t.exposeFloat('cost', {
      nullable: true,
      description: 'In the currency of the configured prices; null where no price is configured.',
    }),
  }),
})

/** The columns that hold a row's usage. */
export const USAGE_COLUMNS = {
  modelCalls: true,
  inputTokens: true,
  outputTokens: true,
  cachedTokens: true,
  cost: true,
} as const

export interface UsageRow {
  readonly modelCalls: number
  readonly inputTokens: bigint
  readonly outputTokens: bigint
  readonly cachedTokens: bigint
  readonly cost: number | null
}

export function usageOf(row: UsageRow): Usage {
  return {
    calls: row.modelCalls,
    inputTokens: Number(row.inputTokens),
    outputTokens: Number(row.outputTokens),
    cachedTokens: Number(row.cachedTokens),
    cost: row.cost,
  }
}
