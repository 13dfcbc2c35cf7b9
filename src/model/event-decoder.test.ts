/** What counts as an event, and that it does not matter how its bytes were cut. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { EventDecoder } from './event-decoder.ts'

const encoder = new TextEncoder()

function decode(text: string, pieceBytes = Infinity): string[] {
  const decoder = new EventDecoder()
  const bytes = encoder.encode(text)
  const events: string[] = []
  for (let start = 0; start < bytes.length; start += pieceBytes) {
    events.push(...decoder.add(bytes.subarray(start, Math.min(start + pieceBytes, bytes.length))))
  }
  return [...events, ...decoder.end()]
}

describe('an event', () => {
  test.each([
    ['ends with an empty line', 'data: a\n\ndata: b\n\n', ['a', 'b']],
    ['may lack the empty line at the end of the stream', 'data: a\n\ndata: b', ['a', 'b']],
    ['has one leading space less', 'data:a\n\ndata:  b\n\n', ['a', ' b']],
    ['may have several lines', 'data: a\ndata: b\n\n', ['a\nb']],
    ['may be empty', 'data\n\n', ['']],
    ['has other fields, which say nothing', 'event: x\nid: 7\n: comment\ndatum: y\ndata: a\n\n', ['a']],
    ['needs data', ': comment\n\nevent: x\n\n', []],
    ['may use any line end', 'data: a\r\n\r\ndata: b\r\rdata: c\n\n', ['a', 'b', 'c']],
    ['may follow a byte order mark', '\uFEFFdata: a\n\n', ['a']],
  ])('%s', (_, text, events) => {
    expect(decode(text)).toEqual(events)
  })

  test('is the same wherever the stream was cut', () => {
    const line = fc.oneof(fc.constant(''), fc.constantFrom('data: ä😀', 'data:{"a":1}', 'data', ': -', 'event: x'))
    const lines = fc.array(fc.tuple(line, fc.constantFrom('\n', '\r', '\r\n')), { maxLength: 12 })
    fc.assert(
      fc.property(lines, fc.integer({ min: 1, max: 7 }), (parts, pieceBytes) => {
        const text = parts.flat().join('')
        expect(decode(text, pieceBytes)).toEqual(decode(text))
      }),
    )
  })

  test('of many small pieces costs no more than one of few', () => {
    const text = `data: ${'x'.repeat(1_000_000)}\n\n`
    expect(decode(text, 16)).toEqual(decode(text))
  })
})
