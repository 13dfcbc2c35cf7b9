/** Amounts of money, as the prices in the configuration reckon them. */
import { AUTHENTICATED } from '../access.ts'
import { builder } from '../builder.ts'

/** An amount in the currency of the configured prices. */
export interface Money {
  readonly amount: number
}

export const MoneyType = builder.objectRef<Money>('Money').implement({
  description: 'An amount of money.',
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    amount: t.field({ type: 'Decimal', description: 'How much.', resolve: ({ amount }) => writeDecimal(amount) }),
    currency: t.string({
      nullable: true,
      description:
        'The currency of the configured prices, such as "EUR" (ISO 4217); null when the configuration names none.',
      resolve: (_money, _args, { config }) => config.current().settings.currency,
    }),
  }),
})

/** Of a double these are right; behind them stand the errors of sums. */
const DIGITS = 15
/** Places behind the point of an amount that JavaScript would write with an exponent. */
const PLACES = 12

/**
 * `Decimal`: an amount as text, so that no client rounds it by reading it.
 * Such as "0.3" of 0.1 + 0.2.
 */
export function writeDecimal(amount: number): string {
  const rounded = Number(amount.toPrecision(DIGITS))
  const text = String(rounded)
  if (!text.includes('e')) return text
  const small = rounded.toFixed(PLACES).replace(/\.?0+$/, '')
  return small === '-0' ? '0' : small
}
