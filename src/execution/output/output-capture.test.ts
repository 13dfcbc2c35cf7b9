import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { OutputStream } from '../../core/session-event.ts'
import { isStorable } from '../../platform/well-formed.ts'
import { OutputCapture } from './output-capture.ts'

interface Captured {
  readonly capture: OutputCapture
  readonly pieces: Record<OutputStream, string>
}

function newCapture(limitBytes: number): Captured {
  const pieces = { STDOUT: '', STDERR: '' }
  const capture = new OutputCapture(limitBytes, (stream, text) => {
    expect(text).not.toBe('')
    pieces[stream] += text
  })
  return { capture, pieces }
}

/** Bytes, cut into chunks at arbitrary places. */
function chunksOf(bytes: Uint8Array, cuts: readonly number[]): readonly Uint8Array[] {
  const places = [...new Set([0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].sort((a, b) => a - b)
  return places.slice(1).map((place, index) => bytes.subarray(places[index], place))
}

const text = fc.string({ unit: 'binary', maxLength: 200 })
const cuts = fc.array(fc.nat(2_000), { maxLength: 20 })
const anyOutput = fc.record({
  bytes: fc.uint8Array({ maxLength: 300 }),
  cuts,
  limit: fc.nat(300),
  errorBytes: fc.nat(300),
})

describe('OutputCapture', () => {
  test('gives text back as it was printed, wherever the chunks were cut', () => {
    fc.assert(
      fc.property(text, text, cuts, (out, err, cuts) => {
        const { capture, pieces } = newCapture(1_000_000)
        for (const chunk of chunksOf(Buffer.from(out), cuts)) capture.write('STDOUT', chunk)
        for (const chunk of chunksOf(Buffer.from(err), cuts)) capture.write('STDERR', chunk)
        const clean = (printed: string): string => printed.toWellFormed().replaceAll('\0', '\uFFFD')
        expect(capture.finish()).toEqual({ stdout: clean(out), stderr: clean(err), truncated: false })
        expect(pieces).toEqual({ STDOUT: clean(out), STDERR: clean(err) })
      }),
    )
  })

  test('makes storable text of any bytes, never more than the limit, and says when it cut', () => {
    fc.assert(
      fc.property(anyOutput, ({ bytes, cuts, limit, errorBytes }) => {
        const { capture, pieces } = newCapture(limit)
        capture.write('STDERR', Buffer.alloc(errorBytes, 'e'))
        for (const chunk of chunksOf(bytes, cuts)) capture.write('STDOUT', chunk)
        const { stdout, stderr, truncated } = capture.finish()
        const printed = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes).replaceAll('\0', '\uFFFD')
        expect(isStorable(stdout)).toBe(true)
        expect(Buffer.byteLength(stdout + stderr)).toBeLessThanOrEqual(limit + Math.floor(limit / 16))
        const forErrors = Math.floor(limit / 16)
        const ofErrors = Math.min(errorBytes, limit + forErrors)
        const printedBytes = Buffer.byteLength(printed)
        expect(truncated).toBe(errorBytes > ofErrors || printedBytes > limit - Math.max(0, ofErrors - forErrors))
        expect(stderr).toBe('e'.repeat(ofErrors))
        expect(printed.startsWith(stdout)).toBe(true)
        expect(pieces).toEqual({ STDOUT: stdout, STDERR: stderr })
        expect(capture.receivedBytes).toBe(bytes.length + errorBytes)
      }),
    )
  })

  test('cuts between characters, not in them', () => {
    const { capture } = newCapture(4)
    capture.write('STDOUT', Buffer.from('éé😀'))
    expect(capture.finish()).toMatchObject({ stdout: 'éé', stderr: '', truncated: true })
  })

  test('keeps nothing after the cut of a stream, also nothing that would fit', () => {
    const { capture, pieces } = newCapture(3)
    capture.write('STDOUT', Buffer.from('éé'))
    capture.write('STDOUT', Buffer.from('x'))
    expect(capture.finish()).toMatchObject({ stdout: 'é', stderr: '', truncated: true })
    expect(pieces).toEqual({ STDOUT: 'é', STDERR: '' })
  })

  test('keeps the reason of a failure that follows more output than is kept', () => {
    const { capture } = newCapture(1_000_000)
    for (let count = 0; count < 2000; count++) capture.write('STDOUT', Buffer.alloc(1000, 'o'))
    capture.write('STDERR', Buffer.from('error: no such module\n'))
    expect(capture.finish()).toMatchObject({
      stderr: 'error: no such module\n',
      truncated: true,
      beyond: { stderr: '' },
    })
  })

  test('says what comes right after the cut, apart, and no more of it than a secret is long', () => {
    const { capture } = newCapture(3)
    capture.write('STDOUT', Buffer.from('éé'))
    capture.write('STDERR', Buffer.from('xx'))
    for (let count = 0; count < 100; count++) capture.write('STDOUT', Buffer.alloc(1000, 'o'))
    expect(capture.finish().beyond).toEqual({ stdout: `é${'o'.repeat(16_383)}`, stderr: 'x' })
    expect(capture.receivedBytes).toBe(100_006)
  })
})
