import fc from 'fast-check'
import { expect, test } from 'vitest'
import { newId } from '../platform/id.ts'
import { placeOfTurn, readTraceParent, writeTraceParent } from './trace-parent.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'

test('a trace parent of the standard is read as it is', () => {
  expect(readTraceParent(`00-${TRACE}-${SPAN}-01`)).toBe(`00-${TRACE}-${SPAN}-01`)
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
  const place = placeOfTurn('turn_1', `00-${TRACE}-${SPAN}-01`)
  expect(place).toMatchObject({ traceId: TRACE, parent: { traceId: TRACE, spanId: SPAN, isSampled: true } })
  expect(placeOfTurn('turn_1', `00-${TRACE}-${SPAN}-00`).parent?.isSampled).toBe(false)
  expect(readTraceParent(writeTraceParent(place, true))).not.toBeNull()
})

test('a turn without one has a trace of its own, which every process finds', () => {
  const id = newId('turn')
  expect(placeOfTurn(id, null)).toEqual(placeOfTurn(id, null))
  expect(placeOfTurn(id, null).traceId).not.toBe(placeOfTurn(newId('turn'), null).traceId)
  expect(readTraceParent(writeTraceParent(placeOfTurn(id, null), false))).not.toBeNull()
})
