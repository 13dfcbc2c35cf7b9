import { expect, test } from 'vitest'
import { callFingerprint, offerFingerprint } from './fingerprint.ts'

const offer = {
  name: 'mail__send',
  description: 'Sends.',
  parameters: { a: { x: 1, y: [1, 2] }, b: 2 },
  effect: 'WRITE',
} as const
const call = { to: 'ada', body: { text: 'hi', parts: [{ b: 1, a: 2 }] } }

test('the order of keys does not matter, that of lists does', () => {
  const turned = { b: 2, a: { y: [1, 2], x: 1 } }
  expect(offerFingerprint({ ...offer, parameters: turned })).toBe(offerFingerprint(offer))
  expect(offerFingerprint({ ...offer, parameters: { ...turned, a: { x: 1, y: [2, 1] } } })).not.toBe(
    offerFingerprint(offer),
  )
  const turnedCall = { body: { parts: [{ a: 2, b: 1 }], text: 'hi' }, to: 'ada' }
  expect(callFingerprint(offer, turnedCall)).toBe(callFingerprint(offer, call))
})

test.each([
  [{ ...offer, fingerprint: 'other' }, call],
  [{ ...offer, name: 'mail__delete' }, call],
  [offer, { ...call, to: 'ben' }],
  [offer, null],
])('another tool, description or argument is another call', (tool, args) => {
  expect(callFingerprint(tool, args)).not.toBe(callFingerprint(offer, call))
})
