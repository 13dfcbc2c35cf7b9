import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FactMarks, takeFactMarks } from './fact-marks.ts'

describe('the mark of what a text relies on', () => {
  test.each<[string, string, string[]]>([
    ['It listens on 8080.\n\n<FACTS F1>', 'It listens on 8080.', ['F1']],
    ['It listens on 8080.\n<FACTS F1, F12>\n', 'It listens on 8080.', ['F1', 'F12']],
    ['It listens on 8080. < facts: [F2]; f2 > ', 'It listens on 8080. ', ['F2']],
    ['<FACTS F1>\nIt listens.\n<FACTS F2>', '\nIt listens.', ['F1', 'F2']],
    ['It <FACTS F3> listens.', 'It  listens.', ['F3']],
    ['<NO_<FACTS F1>REPLY>', '<NO_REPLY>', ['F1']],
  ])('%j is taken out', (text, said, labels) => {
    expect(takeFactMarks(text)).toEqual({ text: said, labels })
  })

  test.each([
    '',
    'It listens.\n',
    'a < b and <',
    '<FACTS>',
    '<facts>one</facts>',
    '<FACTS F>',
    '<FACTS F1',
    '<FACTS F1 and F2>',
    '<FACTSF1>',
    '<FACTS F12345>',
    `<FACTS ${'F1 '.repeat(200)}>`,
    ' \n <FA \n x',
  ])('%j has none', (text) => {
    expect(takeFactMarks(text)).toEqual({ text, labels: [] })
  })

  test('is taken out wherever the text was cut', () => {
    const part = fc.constantFrom('<', '<FACTS F1>', 'FACTS', ' F2', '>', ' ', '\n', 'word', '<F', '😀', ', ')
    const text = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(text, fc.array(fc.nat({ max: 60 }), { maxLength: 8 }), (whole, cuts) => {
        const marks = new FactMarks()
        const at = [0, ...cuts.filter((cut) => cut < whole.length).toSorted((a, b) => a - b), whole.length]
        const said = at.slice(1).map((end, index) => marks.push(whole.slice(at[index], end)))
        const taken = { text: said.join('') + marks.end(), labels: marks.labels }
        expect(taken).toEqual(takeFactMarks(whole))
        expect(taken.text).not.toMatch(/<FACTS F1>/)
      }),
    )
  })
})
