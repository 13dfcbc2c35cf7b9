import { expect, test } from 'vitest'
import { TextPieces } from './text-pieces.ts'

test('pieces come once, and the whole adds what is missing', () => {
  const text = new TextPieces()
  text.beginAnew()
  expect([text.add('Hel'), text.add('lo'), text.complete('Hello.')]).toEqual(['Hel', 'lo', '.'])
})

test('a text that is begun anew goes on where it agrees, and comes whole where it does not', () => {
  const same = new TextPieces()
  same.add('Hel')
  same.beginAnew()
  expect([same.add('He'), same.complete('Hello.')]).toEqual(['', 'lo.'])
  const other = new TextPieces()
  other.add('Hel')
  other.beginAnew()
  expect([other.add('Good'), other.complete('Good day.')]).toEqual(['', '\n\nGood day.'])
})
