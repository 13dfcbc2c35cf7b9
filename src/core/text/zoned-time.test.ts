import { describe, expect, test } from 'vitest'
import { describeMoment, timesIn } from './zoned-time.ts'

const NIGHT = new Date('2026-11-22T23:30:00Z')

describe('a time', () => {
  test.each([
    ['UTC', 'Sunday 2026-11-22 23:30'],
    ['Europe/Rome', 'Monday 2026-11-23 00:30'],
    ['America/New_York', 'Sunday 2026-11-22 18:30'],
    ['Asia/Kathmandu', 'Monday 2026-11-23 05:15'],
    ['Mars/Olympus', 'Sunday 2026-11-22 23:30'],
  ])('in %s is %s', (zone, text) => {
    expect(timesIn(zone)(NIGHT)).toBe(text)
  })
})

describe('a moment', () => {
  test.each([
    ['UTC', 'Sunday 2026-11-22 23:30, time zone UTC'],
    ['Europe/Rome', 'Monday 2026-11-23 00:30, time zone Europe/Rome (UTC+01:00)'],
    ['America/St_Johns', 'Sunday 2026-11-22 20:00, time zone America/St_Johns (UTC-03:30)'],
    ['Mars/Olympus', 'Sunday 2026-11-22 23:30, time zone UTC'],
  ])('in %s is "%s"', (timeZone, text) => {
    expect(describeMoment({ now: NIGHT, timeZone })).toBe(text)
  })

  test('has the offset of its day', () => {
    const now = new Date('2026-07-01T12:00:00Z')
    expect(describeMoment({ now, timeZone: 'Europe/Rome' })).toBe(
      'Wednesday 2026-07-01 14:00, time zone Europe/Rome (UTC+02:00)',
    )
  })
})
