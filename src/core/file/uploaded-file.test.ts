import { expect, test } from 'vitest'
import { uploadName, uploadNameProblem } from './uploaded-file.ts'

test.each([
  'report.pdf',
  'Übersicht 2026.xlsx',
  'a',
  'README',
  "it's.txt",
  `${'x'.repeat(116)}.pdf`,
  '資料（最終）.docx',
  '👩🏽\u200D💻.png',
  'می\u200Cخواهم.pdf',
  'क्\u200Dष.txt',
])('a file can be called %s', (name) => {
  expect(uploadNameProblem(name)).toBeNull()
})

test.each([
  ['', '"file"'],
  ['..', 'dot'],
  ['.bashrc', 'dot'],
  ['a/b', '"a-b"'],
  ['..\\x', 'dot'],
  ['a\u0000b', '"ab"'],
  ['a\u202Egpj.exe', '"agpj.exe"'],
  ['a\u200Db\u200C.txt', '"ab.txt"'],
  [' x', '"x"'],
  ['CON:', '"CON_"'],
  [`${'x'.repeat(117)}.pdf`, '120'],
])('a file cannot be called %j, and is told why', (name, problem) => {
  expect(uploadNameProblem(name)).toContain(problem)
})

test('letters and their accents are put together', () => {
  expect(uploadName('u\u0308.txt')).toBe('\u00FC.txt')
  expect(uploadNameProblem(uploadName('\uD800.txt'))).not.toBeNull()
})

test('a name as long as anybody likes is refused at once', () => {
  expect(uploadNameProblem(`x${'.'.repeat(1_000_000)}y.txt`)).toContain(
    'must be 1 to 120 characters, in at most 255 bytes',
  )
  expect(uploadNameProblem(`${'.x'.repeat(1_000_000).slice(1)}.txt`)).toContain(
    'must be 1 to 120 characters, in at most 255 bytes',
  )
})
