import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readLines } from './read-lines.ts'

/** The lines of what comes in pieces, cut anywhere. */
async function read(pieces: readonly Uint8Array[]): Promise<string[]> {
  async function* stream(): AsyncGenerator<Uint8Array> {
    for (const piece of pieces) yield await Promise.resolve(piece)
  }
  return Array.fromAsync(readLines(stream()))
}

const line = fc.string({ unit: 'binary', minLength: 1 }).filter((text) => text.isWellFormed() && !/[\r\n]/.test(text))

test('lines are the same wherever the stream is cut, also in the middle of a character', () =>
  fc.assert(
    fc.asyncProperty(fc.array(line), fc.boolean(), fc.integer({ min: 1, max: 9 }), async (lines, ends, size) => {
      const bytes = Buffer.from(lines.join('\n') + (ends && lines.length > 0 ? '\n' : ''))
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
        bytes.subarray(n * size, (n + 1) * size),
      )
      expect(await read(pieces)).toEqual(lines)
    }),
  ))

test('what is no text, and a line without end, are refused', async () => {
  await expect(read([Buffer.from([0x7b, 0xff])])).rejects.toMatchObject({ code: 'TRANSFER_REFUSED' })
  await expect(read([Buffer.from([0x7b, 0xc3])])).rejects.toMatchObject({ code: 'TRANSFER_REFUSED' })
  const mebibyte = Buffer.alloc(1024 * 1024, 'x')
  await expect(read(Array.from({ length: 40 }, () => mebibyte))).rejects.toThrow('A line is longer than')
})
