/** What model calls cost, of a session, a turn or a completed turn's event. */
import type { Usage } from '../../../core/usage.ts'
import { AUTHENTICATED } from '../access.ts'
import { builder } from '../builder.ts'
import { MoneyType } from '../values/money.ts'

export const UsageType = builder.objectRef<Usage>('Usage').implement({
  description: 'What model calls have cost.',
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    calls: t.expose('calls', {
      type: 'Count',
      description: 'Calls of a model, failed ones included.',
    }),
    inputTokens: t.expose('inputTokens', {
      type: 'Count',
      description: 'Tokens read, as the provider counts them.',
    }),
    outputTokens: t.expose('outputTokens', {
      type: 'Count',
      description: 'Tokens written, as the provider counts them.',
    }),
    cachedTokens: t.expose('cachedTokens', {
      type: 'Count',
      description: 'The part of inputTokens that the provider took from its cache.',
    }),
    cost: t.field({
      type: MoneyType,
      nullable: true,
      description: 'By the prices that were configured at each call; null where none was.',
      resolve: ({ cost }) => (cost === null ? null : { amount: cost }),
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
