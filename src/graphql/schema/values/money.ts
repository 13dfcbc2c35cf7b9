/** Amounts of money, as the prices in the configuration reckon them. */
import { AUTHENTICATED } from '../access.ts'
import { builder } from '../builder.ts'
import { writeDecimal } from './write-decimal.ts'

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
