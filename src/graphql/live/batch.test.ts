import { PassThrough } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { rounds } from '../../../test/harness/rounds.ts'
import { Batch } from './batch.ts'
import { textOf, toBytes } from './bytes.ts'

/** Reads frames as RFC 6455 says, or fails. */
function readFrames(bytes: Buffer): string[] {
  const texts: string[] = []
  let at = 0
  while (at < bytes.length) {
    expect(bytes[at]).toBe(0x81)
    const short = bytes[at + 1] ?? 0
    const [start, length] =
      short < 126
        ? [at + 2, short]
        : short === 126
          ? [at + 4, bytes.readUInt16BE(at + 2)]
          : [at + 10, Number(bytes.readBigUInt64BE(at + 2))]
    texts.push(bytes.toString('utf8', start, start + length))
    at = start + length
  }
  expect(at).toBe(bytes.length)
  return texts
}

async function written(write: (stream: PassThrough) => void): Promise<Buffer> {
  const stream = new PassThrough({ highWaterMark: 1 << 30 })
  write(stream)
  stream.end()
  return buffer(stream)
}

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.integer({ min: 0, max: 200 }).map((length) => 'x'.repeat(length)),
  fc.constantFrom(60_000, 65_480, 65_500, 65_535, 65_536, 70_000).map((length) => 'é'.repeat(length)),
)

test('frames carry each payload as a message of the operation, whatever its length and id', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(text, { minLength: 1, maxLength: 5 }),
      fc.string({ unit: 'grapheme' }),
      async (texts, id) => {
        const results = texts.map((text) => ({ data: { text } }))
        const shown = results.map((result, seq) => ({ seq, payload: toBytes(JSON.stringify(result)) }))
        const batch = new Batch(shown)
        const ids = [id, id, `${id}2`, `${id}3`, `"\u0001é${id}`]
        const bytes = await written((stream) => {
          for (const id of ids) batch.writeFrames(stream, toBytes(JSON.stringify(id)))
        })
        const messages = readFrames(bytes).map((text) => JSON.parse(text) as unknown)
        expect(messages).toEqual(ids.flatMap((id) => results.map((payload) => ({ id, type: 'next', payload }))))
      },
    ),
    { numRuns: rounds(50, 200) },
  )
})

test('events carry each payload on one line, under its seq', () => {
  const payloads = ['{"a":"\\né"}', '{"b":2}'].map((text, n) => ({ seq: 7 + n, payload: toBytes(text) }))
  expect(String(new Batch(payloads).events)).toBe(
    'event: next\nid: 7\ndata: {"a":"\\né"}\n\nevent: next\nid: 8\ndata: {"b":2}\n\n',
  )
})

test('any text comes back from its bytes', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const bytes = toBytes(text)
      expect(Buffer.from(bytes, 'latin1')).toEqual(Buffer.from(text))
      expect(textOf(bytes)).toBe(text)
    }),
    { numRuns: rounds(100, 1000) },
  )
})
