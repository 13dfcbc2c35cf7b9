/** How what something costs is written: "12.40 EUR", "0.0045 EUR", "0.000012 EUR", "0.00". */
export function moneyText(amount: number, currency: string | null | undefined): string {
  const text = amount.toFixed(digitsOf(amount))
  return currency === null || currency === undefined ? text : `${text} ${currency}`
}

/** What a double is right to, and `toFixed` takes. */
const MOST_DIGITS = 15

/** Behind the point: two that are not 0, of however little, for what costs something must not read as nothing. */
function digitsOf(amount: number): number {
  if (amount === 0 || amount >= 1) return 2
  return Math.min(MOST_DIGITS, Math.max(4, 1 - Math.floor(Math.log10(amount))))
}
