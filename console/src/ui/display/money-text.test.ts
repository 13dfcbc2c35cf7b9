import { expect, test } from 'vitest'
import { moneyText } from './money-text.ts'

test('what costs something never reads as nothing', () => {
  const cases: readonly [amount: number, text: string][] = [
    [0, '0.00 EUR'],
    [12.4, '12.40 EUR'],
    [0.25, '0.2500 EUR'],
    [0.0045, '0.0045 EUR'],
    [0.00012, '0.00012 EUR'],
    [0.00004, '0.000040 EUR'],
    [0.0000000123, '0.000000012 EUR'],
  ]
  expect(cases.map(([amount]) => moneyText(amount, 'EUR'))).toEqual(cases.map(([, text]) => text))
})
