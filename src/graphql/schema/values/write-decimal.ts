/** `Decimal`: an amount as text, so that no client rounds it by reading it. */

/** Places behind the point: a model call costs no less than a millionth, and sums of doubles err behind these. */
const PLACES = 12

/** Such as "0.30" of 0.1 + 0.2 without its error: "0.3". Never with an exponent. */
export function writeDecimal(amount: number): string {
  const text = amount.toFixed(PLACES).replace(/\.?0+$/, '')
  return text === '-0' ? '0' : text
}
