/** The soak is as good as its ledger: it must not excuse a stranger, nor accuse a user who could see. */
import { expect, test } from 'vitest'
import { GRACE_MS, Ledger } from './ledger.ts'

const seen = (ledger: Ledger, from: number, to = from): boolean => ledger.mayHaveSeen('ann', 1, { from, to })

test('who was never let in may never have seen it', () => {
  const ledger = new Ledger('x')
  ledger.enter('bob', 0, 1)
  ledger.enter('ann', 0, 2)
  expect(seen(ledger, 0, 1e9)).toBe(false)
})

test('who left may have seen it until the grace is over, and again after coming back', () => {
  const ledger = new Ledger('x')
  ledger.enter('ann', 1000, 1)
  expect([seen(ledger, 0), seen(ledger, 1000)]).toEqual([false, true])
  ledger.leave('ann', 2000, 1)
  expect([seen(ledger, 2000 + GRACE_MS), seen(ledger, 2001 + GRACE_MS)]).toEqual([true, false])
  expect(ledger.isIn('ann', 1)).toBe(false)
  ledger.enter('ann', 20_000, 1)
  expect([seen(ledger, 10_000, 19_999), seen(ledger, 10_000, 20_000)]).toEqual([false, true])
})

test('who may see all may see each, and takes part in none', () => {
  const ledger = new Ledger('x')
  ledger.enter('ann', 0)
  expect([seen(ledger, 10), ledger.isIn('ann', 1)]).toEqual([true, false])
  ledger.leave('ann', 20)
  expect(seen(ledger, 21 + GRACE_MS)).toBe(false)
})

test('texts are found wherever they are, each with its session and its time', () => {
  const ledger = new Ledger('x')
  const texts = [ledger.say(12, 5), ledger.say(12, 6), ledger.say(1, 7)]
  expect(ledger.find(`{"a":"${texts.join('')}"}`)).toEqual([
    { session: 12, serial: 0 },
    { session: 12, serial: 1 },
    { session: 1, serial: 0 },
  ])
  expect(ledger.find('canary-y-1.0. canary-x-1.')).toEqual([])
  expect(ledger.saidAt({ session: 12, serial: 1 })).toBe(6)
})
