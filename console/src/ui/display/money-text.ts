/** How what something costs is written: "12.40 EUR", "0.0045 EUR", "0.00". */
export function moneyText(amount: number, currency: string | null | undefined): string {
  const digits = amount !== 0 && amount < 1 ? 4 : 2
  const text = amount.toFixed(digits)
  return currency === null || currency === undefined ? text : `${text} ${currency}`
}
