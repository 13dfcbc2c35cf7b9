import fc from 'fast-check'
import { expect, test } from 'vitest'
import { newId } from '../platform/id.ts'
import { placeOfTurn, readTrace, writeTraceParent } from './trace-parent.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'

const PARENT = `00-${TRACE}-${SPAN}-01`
const readTraceParent = (traceparent: unknown): string | null =>
  readTrace((name) => (name === 'traceparent' ? traceparent : undefined))?.parent ?? null
const readState = (tracestate: unknown): string | null | undefined =>
  readTrace((name) => (name === 'tracestate' ? tracestate : PARENT))?.state

test('a trace parent of the standard is read as it is', () => {
  expect(readTrace((name) => (name === 'traceparent' ? PARENT : null))).toEqual({ parent: PARENT, state: null })
})

test('what others want to be handed on is kept, in the form of the standard', () => {
  expect(readState('rojo=00f067aa0ba902b7,congo=t61rcWkgMzE')).toBe('rojo=00f067aa0ba902b7,congo=t61rcWkgMzE')
  expect(readState(' a=1 ,\t1tenant@system=b:c;d e,, ')).toBe('a=1,1tenant@system=b:c;d e')
})

test.each([null, undefined, '', ' , ', 'a', 'A=1', 'a=', 'a=b=c', 'a=1,=2', 'a=\u00e4', `a=${'b'.repeat(257)}`])(
  '%j is nothing to hand on',
  (header) => {
    expect(readState(header)).toBeNull()
  },
)

test('more than everybody must hand on loses its last entries; more entries than there may be are none', () => {
  const entry = (index: number): string => `key${String(index).padStart(2, '0')}=${'v'.repeat(18)}`
  const entries = Array.from({ length: 32 }, (_, index) => entry(index))
  expect(readState(entries.join(','))).toBe(entries.slice(0, 20).join(','))
  expect(readState([...entries, 'a=1'].join(','))).toBeNull()
  expect(readTrace((name) => (name === 'tracestate' ? 'a=1' : 'no parent'))).toBeNull()
})

test.each([
  null,
  undefined,
  '',
  `00-${TRACE}-${SPAN}`,
  `00-${TRACE}-${SPAN}-01-more`,
  `01-${TRACE}-${SPAN}-01`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  `00-${'0'.repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `00-${TRACE}-${SPAN}-01\n`,
  `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`,
])('%j is none', (header) => {
  expect(readTraceParent(header)).toBeNull()
})

test('what is read is never longer than the standard says, and is read again', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 80 }), (header) => {
      const read = readTraceParent(header)
      expect(read === null || (read.length === 55 && readTraceParent(read) === read)).toBe(true)
    }),
  )
})

test("a turn stands in its client's trace, under its client's span", () => {
  const place = placeOfTurn('turn_1', { parent: PARENT, state: 'a=1' })
  expect(place).toMatchObject({
    traceId: TRACE,
    parent: { traceId: TRACE, spanId: SPAN, isSampled: true, state: 'a=1' },
  })
  expect(placeOfTurn('turn_1', { parent: `00-${TRACE}-${SPAN}-00`, state: null }).parent?.isSampled).toBe(false)
  expect(readTraceParent(writeTraceParent(place, true))).not.toBeNull()
})

test('a turn without one has a trace of its own, which every process finds', () => {
  const id = newId('turn')
  expect(placeOfTurn(id, null)).toEqual(placeOfTurn(id, null))
  expect(placeOfTurn(id, null).traceId).not.toBe(placeOfTurn(newId('turn'), null).traceId)
  expect(readTraceParent(writeTraceParent(placeOfTurn(id, null), false))).not.toBeNull()
})
