/** Amounts of what is measured, as text. */
import { countText } from '../../ui/display/time-text.ts'
import type { Measure } from './stack-usage.ts'

export function amountText(amount: number, measure: Measure, currency: string | null): string {
  if (measure !== 'cost') return countText(Math.round(amount))
  const digits = amount !== 0 && amount < 1 ? 4 : 2
  return currency === null ? amount.toFixed(digits) : `${amount.toFixed(digits)} ${currency}`
}
