import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readDateTime } from './read-date-time.ts'

test('what was printed is read back', () => {
  const dates = fc.date({
    min: new Date('0001-01-01T00:00:00Z'),
    max: new Date('9999-12-31T23:59:59.999Z'),
    noInvalidDate: true,
  })
  fc.assert(
    fc.property(dates, (date) => {
      expect(readDateTime(date.toISOString())).toEqual(date)
    }),
  )
})

test.each([
  ['2026-11-21T15:30:00Z', '2026-11-21T15:30:00.000Z'],
  ['2026-11-21T15:30:00.123456+02:00', '2026-11-21T13:30:00.123Z'],
  ['2024-02-29T00:00:00-00:30', '2024-02-29T00:30:00.000Z'],
])('%s is %s', (text, iso) => {
  expect(readDateTime(text).toISOString()).toBe(iso)
})

test.each([
  '',
  'yesterday',
  '2026-11-21',
  '2026-11-21T15:30:00',
  '2026-02-30T00:00:00Z',
  '2026-11-21T25:00:00Z',
  '0000-01-01T00:00:00Z',
  '0001-01-01T00:00:00+01:00',
  '9999-12-31T23:59:59-01:00',
  0,
  null,
  {},
  new Date(0),
])('%j is refused', (value) => {
  expect(() => readDateTime(value)).toThrow('DateTime must be RFC 3339 with a time zone')
})
