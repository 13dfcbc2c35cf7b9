import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { preview, previewOutput } from './preview.ts'

describe('preview', () => {
  test('leaves a text that fits as it is', () => {
    expect(preview('0123456789', { maxChars: 10 })).toBe('0123456789')
  })

  test('keeps beginning and end, and says how much is missing', () => {
    expect(preview('0123456789ABCDEFGHIJ', { maxChars: 10 })).toBe(
      '0123\n[10 of 20 characters are left out here.]\nEFGHIJ',
    )
  })

  test('never cuts a character in two', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), fc.integer({ min: 1, max: 50 }), (text, maxChars) => {
        expect(preview(text.toWellFormed(), { maxChars }).isWellFormed()).toBe(true)
      }),
    )
  })

  test('is bounded', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 100, maxLength: 2000 }), fc.integer({ min: 1, max: 80 }), (text, maxChars) => {
        expect(preview(text, { maxChars }).length).toBeLessThanOrEqual(maxChars + 120)
      }),
    )
  })

  test('says of an output how to see more of it', () => {
    const file = '.factotum/outputs/task_1.txt'
    expect(previewOutput('x'.repeat(200), { maxChars: 100 }, null)).toContain('To see more, ask for less')
    expect(previewOutput('x'.repeat(200), { maxChars: 100 }, file)).toContain(
      `[100 of 200 characters are left out here. All that was kept of it is in the file ${file}: read from that what is needed, with grep, head or sed -n.]`,
    )
    expect(previewOutput('short', { maxChars: 100 }, file)).toBe('short')
  })
})
