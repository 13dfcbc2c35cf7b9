import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { contentTypeOf, isPublishedFileId, newPublishedFileId, publishedName } from './published-file.ts'

describe('the id of a published file', () => {
  test('is 128 random bits, and nothing else is one', () => {
    const id = newPublishedFileId()
    expect(isPublishedFileId(id)).toBe(true)
    expect(newPublishedFileId()).not.toBe(id)
    for (const other of ['', 'pub_', `${id}0`, id.slice(0, -1), id.toUpperCase(), `${id}\n`, `../${id}`, `${id}/..`])
      expect(isPublishedFileId(other)).toBe(false)
  })
})

describe('the name of a published file', () => {
  test('is that of the file, with its folders', () => {
    expect(publishedName('report.txt')).toBe('report.txt')
    expect(publishedName('charts/2026/üsage.png')).toBe('charts-2026-üsage.png')
  })

  test('keeps nothing that would act up where it is saved or shown', () => {
    expect(publishedName('../../etc/passwd')).toBe('-..-etc-passwd')
    expect(publishedName('a\nb\t"c".txt')).toBe('ab_c_.txt')
    expect(publishedName('exe\u202Ecod.txt')).toBe('execod.txt')
    expect(publishedName('...')).toBe('file')
    expect(publishedName(`${'x'.repeat(300)}.tar`)).toBe(`${'x'.repeat(116)}.tar`)
    expect(publishedName(`${'報'.repeat(100)}.pdf`)).toBe(`${'報'.repeat(83)}.pdf`)
  })

  test('can be saved anywhere, whatever the file was called', () => {
    const path = fc
      .array(
        fc.oneof(
          fc.string({ unit: fc.nat(0xffff).map((code) => String.fromCharCode(code)) }),
          fc.constantFrom('/', '..', '.', '\0', '😀'),
        ),
        { maxLength: 20 },
      )
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(path, (given) => {
        const name = publishedName(given)
        expect(name.length).toBeGreaterThan(0)
        expect(name.length).toBeLessThanOrEqual(120)
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255)
        expect(name.isWellFormed()).toBe(true)
        expect(name).not.toMatch(/(?![\u200C\u200D])\p{Cf}|[\p{Cc}/\\:*?"<>|]|^\.|^ /u)
      }),
    )
  })
})

test('the type follows from the extension', () => {
  expect(contentTypeOf('report.PDF')).toBe('application/pdf')
  expect(contentTypeOf('notes.txt')).toBe('text/plain; charset=utf-8')
  expect(contentTypeOf('page.html')).toBe('text/html; charset=utf-8')
  for (const name of ['Makefile', 'x.unknown', 'png', `x.${'y'.repeat(40)}`, 'a.constructor'])
    expect(contentTypeOf(name)).toBe('application/octet-stream')
})
