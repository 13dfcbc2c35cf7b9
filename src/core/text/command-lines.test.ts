import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CommandLines, splitCommand, takeCommandLines } from './command-lines.ts'

const names = new Set(['note', 'notify', 'a'])

test('lines of known names are taken out of a text, and no others', () => {
  const text =
    'Done.\n/note buy milk\n/notify\n/nothing here\n /note indented\nsee /note\n/usr/bin/note\n/a\tb\r\n/note'
  expect(takeCommandLines(text, names)).toEqual({
    text: 'Done.\n/nothing here\n /note indented\nsee /note\n/usr/bin/note\n',
    found: [
      { name: 'note', args: 'buy milk' },
      { name: 'notify', args: '' },
      { name: 'a', args: 'b' },
      { name: 'note', args: '' },
    ],
  })
})

test('however a text is cut into pieces, it comes out as it would whole', () => {
  const part = fc.constantFrom('/note', '/noti', 'fy', ' ', '\n', '\r\n', '/a', '/', 'x', '\t', '😀', 'note')
  fc.assert(
    fc.property(fc.array(fc.array(part).map((parts) => parts.join(''))), (pieces) => {
      const lines = new CommandLines(names)
      const said = pieces.map((piece) => lines.push(piece)).join('') + lines.end()
      expect({ text: said, found: lines.found }).toEqual(takeCommandLines(pieces.join(''), names))
    }),
  )
})

test('of a message only the first line is a command', () => {
  expect(splitCommand('/time Europe/Berlin\nand then?\n/x')).toEqual({
    command: { name: 'time', args: 'Europe/Berlin' },
    rest: 'and then?\n/x',
  })
  expect(splitCommand('／time　Europe/Berlin')?.command).toEqual({ name: 'time', args: 'Europe/Berlin' })
  expect(splitCommand('/time')).toEqual({ command: { name: 'time', args: '' }, rest: '' })
  expect(splitCommand('/usr/bin/env is there')).toBeNull()
  expect(splitCommand('x\n/time')).toBeNull()
  expect(splitCommand('/ time')).toBeNull()
})
