import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AnswerBytes } from './answer-bytes.ts'
import { EventDecoder, readEvents } from './event-decoder.ts'

function decode(...chunks: readonly Uint8Array[]): { events: unknown[]; isDone: boolean } {
  const decoder = new EventDecoder()
  const events = chunks.flatMap((chunk) => decoder.add(chunk))
  return { events: [...events, ...decoder.end()], isDone: decoder.isDone }
}

describe('a stream of events', () => {
  test.each([
    ['one event', 'data: {"a":1}\n\n', [{ a: 1 }]],
    ['without a space', 'data:1\n\n', [1]],
    ['of several lines', 'data: [1,\ndata: 2]\n\n', [[1, 2]]],
    ['with comments, names, ids and unknown fields', ': hi\nid: 7\nretry: 3\nevent: e\nwhat\ndata: 1\n\n', [1]],
    ['with other ends of lines', 'data: 1\r\rdata: 2\r\n\r\ndata: 3\n\n', [1, 2, 3]],
    ['whose last event is cut', 'data: 1\n\ndata: 2', [1, 2]],
    ['with a byte order mark', '\uFEFFdata: 1\n\n', [1]],
    ['of nothing', '\n\n: hi\n\n', []],
    ['that goes on when it is done', 'data: 1\n\ndata: [DONE]\n\ndata: 2\n\n', [1]],
  ])('%s', (_, text, events) => {
    expect(decode(Buffer.from(text)).events).toEqual(events)
  })

  test('is the same in whatever pieces it comes', () => {
    const text = 'data: "ä€😀"\r\n\r\n: c\r\ndata: {"a":\ndata: 2}\r\rdata: [DONE]\r\n\r\ndata: 3\n\n'
    const bytes = Buffer.from(text)
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 12 }), (cuts) => {
        const ends = [...cuts.toSorted((a, b) => a - b), bytes.length]
        const chunks = ends.map((end, n) => bytes.subarray(ends[n - 1] ?? 0, end))
        expect(decode(...chunks)).toEqual({ events: ['ä€😀', { a: 2 }], isDone: true })
      }),
    )
  })

  test('that is no JSON is refused', () => {
    expect(() => decode(Buffer.from('data: nonsense\n\n'))).toThrow(SyntaxError)
  })

  test('is not read on once it says that it is over; the rest is given up', async () => {
    let cancelled = 0
    const bytes = new AnswerBytes({
      pause: () => undefined,
      resume: () => bytes.push(Buffer.from('data: 1\n\ndata: [DONE]\n\n')),
      cancel: () => (cancelled += 1),
    })
    const events: unknown[] = []
    expect(await readEvents(bytes, (event) => events.push(event))).toBe(true)
    expect({ events, cancelled }).toEqual({ events: [1], cancelled: 1 })
  })
})
