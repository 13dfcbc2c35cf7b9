/** Says beside a sum of costs what it leaves out. */

interface OfModel {
  /** `provider:model`. */
  readonly key: string
  readonly unpricedCalls: number
}

/** A sentence with how many calls of which models had no price; null when each had one. */
export function unpricedText(models: readonly OfModel[]): string | null {
  const unpriced = models.filter(({ unpricedCalls }) => unpricedCalls > 0)
  if (unpriced.length === 0) return null
  const each = unpriced.map(({ key, unpricedCalls }) => `${unpricedCalls} of ${key}`)
  return `The cost leaves out calls whose model had no price: ${each.join(', ')}.`
}
