import fc from 'fast-check'
import { expect, test } from 'vitest'
import { contentDisposition } from './content-disposition.ts'

test('the name of a download in both forms', () => {
  expect(contentDisposition('attachment', 'report.txt')).toBe(
    `attachment; filename="report.txt"; filename*=UTF-8''report.txt`,
  )
  expect(contentDisposition('inline', 'Übersicht (1)*.png')).toBe(
    `inline; filename="_bersicht (1)*.png"; filename*=UTF-8''%C3%9Cbersicht%20%281%29%2A.png`,
  )
})

test('no name can break out of the header', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.nat(0xffff).map((code) => String.fromCharCode(code)) }), (name) => {
      expect(contentDisposition('attachment', name)).toMatch(
        /^attachment; filename="[\x20\x21\x23-\x5b\x5d-\x7e]*"; filename\*=UTF-8''[\w.~%-]*$/,
      )
    }),
  )
})
