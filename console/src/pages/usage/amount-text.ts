/** Amounts of what is measured, as text. */
import { moneyText } from '../../ui/display/money-text.ts'
import { countText } from '../../ui/display/time-text.ts'
import type { Measure } from './stack-usage.ts'

export function amountText(amount: number, measure: Measure, currency: string | null): string {
  if (measure !== 'cost') return countText(Math.round(amount))
  return moneyText(amount, currency)
}
