/** Rows of days and keys as stacks: one column a day, one layer a key, in the order in which they cost most. */
import type { UsageByDayQuery } from '../../generated/graphql.ts'

export type Measure = 'tokens' | 'cost' | 'calls'
export type UsageRow = NonNullable<UsageByDayQuery['usageByDay']>[number]

export interface Layer {
  readonly label: string
  /** By day. */
  readonly amounts: readonly number[]
  readonly total: number
}

export interface Stacks {
  /** Such as "2026-11-21", all from the first to the last, also those without a call. */
  readonly days: readonly string[]
  /** The largest first; what is all others together comes last. */
  readonly layers: readonly Layer[]
}

const DAY_MS = 86_400_000
const OTHERS = 'all others'

export function amountOf({ usage }: UsageRow, measure: Measure): number {
  if (measure === 'cost') return Number(usage.cost?.amount ?? 0)
  return measure === 'calls' ? usage.calls : usage.inputTokens + usage.outputTokens
}

export function stackUsage(rows: readonly UsageRow[], measure: Measure, days: readonly string[]): Stacks {
  const places = new Map(days.map((day, index) => [day, index]))
  const layers = new Map<string | null, number[]>()
  for (const row of rows) {
    const place = places.get(row.day)
    if (place === undefined) continue
    const amounts = layers.get(row.key) ?? days.map(() => 0)
    amounts[place] = (amounts[place] ?? 0) + amountOf(row, measure)
    layers.set(row.key, amounts)
  }
  const all = [...layers].map(([key, amounts]) => ({
    key,
    label: key === null ? OTHERS : key === '' ? 'nobody' : key,
    amounts,
    total: amounts.reduce((sum, amount) => sum + amount, 0),
  }))
  all.sort((a, b) => Number(a.key === null) - Number(b.key === null) || b.total - a.total)
  return { days, layers: all.map(({ label, amounts, total }) => ({ label, amounts, total })) }
}

/** The last `count` days (UTC) up to that of `now`. */
export function lastDays(count: number, now: Date): readonly string[] {
  return Array.from({ length: count }, (_, index) =>
    new Date(now.getTime() - (count - 1 - index) * DAY_MS).toISOString().slice(0, 10),
  )
}
