import { expect, test } from 'vitest'
import { otherSubstance } from './other-substance.ts'

test.each([
  ['The gateway listens on port 8080.', 'The gateway of the shop listens on 8080.'],
  ['releases are approved by Grace', 'Grace approves releases.'],
  ['Der Dienst läuft nicht auf Port 80.', 'Der Dienst läuft auf keinem Port wie 80.'],
  ['On which port does the gateway listen? 8081', 'The gateway listens on port 8081.'],
])('%s → %s', (source, text) => {
  expect(otherSubstance(source, text)).toBeNull()
})

test.each([
  ['The gateway listens on port 8080.', 'The gateway listens on port 8081.', /8081/],
  ['The gateway has 120 ports.', 'The gateway has 12 ports.', /12/],
  ['Releases are approved by Grace.', 'Releases are approved by Grace or Bob.', /Bob/],
  ['The mirror is not used.', 'The mirror is used.', /negation/],
  ['The mirror is used.', "The mirror isn't used.", /negation/],
  ['The mirror is in a cellar.', 'Bananas grow well where summers stay warm.', /hardly a word/],
])('%s ↛ %s', (source, text, reason) => {
  expect(otherSubstance(source, text)).toMatch(reason)
})
