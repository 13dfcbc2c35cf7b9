import fc from 'fast-check'
import { expect, test } from 'vitest'
import { lostSubstance } from './lost-substance.ts'

test.each<[string[], string]>([
  [['The gateway listens on 8080.', 'The gateway of the shop listens.'], 'The gateway of the shop listens on 8080.'],
  [
    ['Releases are approved by Grace.', 'Grace is on leave in May.'],
    'Grace approves releases; she is on leave in May.',
  ],
  [
    ['The mirror is not used.', 'Nobody uses the mirror on Sundays.'],
    'The mirror is not used, also on Sundays by nobody.',
  ],
  [['Logs are in /var/log/shop.'], 'The logs of it are in /var/log/shop'],
  [['The job runs only at night.'], 'At night, and only then, the job runs.'],
])('%j → %s', (sources, text) => {
  expect(lostSubstance(sources, text)).toBeNull()
})

test.each<[string[], string, RegExp]>([
  [['The gateway listens on 8080.', 'It is of the shop.'], 'The gateway of the shop listens.', /"8080" is lost/],
  [['It takes 120 ports.'], 'It takes 12 ports.', /"120"/],
  [['Releases are approved by Grace or Bob.'], 'Releases are approved by Grace.', /"Bob"/],
  [['Grace approves releases.'], 'Releases are approved.', /"Grace"/],
  [['Logs are in /var/log/shop.'], 'The logs are in a folder of the shop.', /"\/var\/log\/shop"/],
  [['The mirror is not used.', 'The mirror is in a cellar.'], 'The mirror is used in a cellar.', /negation is lost/],
  [['The mirror is used.', 'The mirror is in a cellar.'], 'The mirror in a cellar is not used.', /negation more/],
  [['The job runs only at night.'], 'The job runs at night.', /"only"/],
  [['Der Dienst läuft nur nachts.'], 'Der Dienst läuft nachts.', /"nur"/],
])('%j ↛ %s', (sources, text, lost) => {
  expect(lostSubstance(sources, text)).toMatch(lost)
})

const word = fc.constantFrom('gateway', 'Grace', 'not', '8080', 'only', '/etc/x', 'v1.2', 'runs', 'Tove', 'ohne', '7')
const sentence = fc.array(word, { minLength: 1, maxLength: 8 }).map((words) => words.join(' '))

test('whatever is merged: what says each of its sources, one after the other, loses nothing', () => {
  fc.assert(
    fc.property(fc.array(sentence, { minLength: 1, maxLength: 5 }), (sources) => {
      expect(lostSubstance(sources, sources.join('. '))).toBeNull()
    }),
  )
})

test('and a number or a name that is left out is always missed', () => {
  fc.assert(
    fc.property(
      fc.array(sentence, { minLength: 1, maxLength: 4 }),
      fc.constantFrom('4711', 'Zelda'),
      (sources, gone) => {
        expect(lostSubstance([...sources, `the host is ${gone}`], `${sources.join('. ')}. the host is`)).toMatch(gone)
      },
    ),
  )
})
