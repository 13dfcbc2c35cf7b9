import { expect, test } from 'vitest'
import { MOST_FILES, nameFiles, pastedName } from './name-files.ts'

function namesOf(added: readonly string[], taken: readonly string[] = []): string[] {
  const files = added.map((name) => ({ name, file: null }))
  return nameFiles(files, taken).map(({ name }) => name)
}

test('no two files have the same name, whether they come together or one after the other', () => {
  expect(namesOf(['a.txt', 'b.txt'])).toEqual(['a.txt', 'b.txt'])
  expect(namesOf(['a.txt', 'a.txt', 'a.txt'])).toEqual(['a.txt', 'a-2.txt', 'a-3.txt'])
  expect(namesOf(['a.txt', 'a-2.txt'], ['a.txt'])).toEqual(['a-2.txt', 'a-2-2.txt'])
  expect(namesOf(['Makefile', '.env', 'x.tar.gz'], ['Makefile', '.env', 'x.tar.gz'])).toEqual([
    'Makefile-2',
    '.env-2',
    'x.tar-2.gz',
  ])
})

test('each name stays with its file', () => {
  const same = [1, 2].map((file) => ({ name: 'a.txt', file }))
  expect(nameFiles(same, [])).toEqual([
    { name: 'a.txt', file: 1 },
    { name: 'a-2.txt', file: 2 },
  ])
})

test('files beyond the most that a message takes are left out, and those that are there stay', () => {
  const many = Array.from({ length: MOST_FILES + 2 }, (_, index) => `${index}.txt`)
  expect(namesOf(many)).toEqual(many.slice(0, MOST_FILES))
  expect(namesOf(many, ['x', 'y'])).toEqual(many.slice(0, MOST_FILES - 2))
  expect(namesOf(['z'], many)).toEqual([])
})

test('pictures of the clipboard are named by the time, and files that were copied as they are', () => {
  const at = new Date('2026-11-28T13:50:12.345Z')
  expect(pastedName('image.png', at)).toBe('image-20261128T135012345.png')
  expect(pastedName('image.png', new Date(at.getTime() + 1))).toBe('image-20261128T135012346.png')
  expect(pastedName('report.pdf', at)).toBe('report.pdf')
  const both = ['image.png', 'image.png'].map((name) => pastedName(name, at))
  expect(namesOf(both)).toEqual(['image-20261128T135012345.png', 'image-20261128T135012345-2.png'])
})
