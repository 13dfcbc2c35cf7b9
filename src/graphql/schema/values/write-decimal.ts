/** `Decimal`: an amount as text, so that no client rounds it by reading it. */

/** Of a double these are right; behind them stand the errors of sums. */
const DIGITS = 15
/** Places behind the point of an amount that JavaScript would write with an exponent. */
const PLACES = 12

/** Such as "0.3" of 0.1 + 0.2. */
export function writeDecimal(amount: number): string {
  const rounded = Number(amount.toPrecision(DIGITS))
  const text = String(rounded)
  if (!text.includes('e')) return text
  const small = rounded.toFixed(PLACES).replace(/\.?0+$/, '')
  return small === '-0' ? '0' : small
}
