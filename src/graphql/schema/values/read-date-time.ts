/**
 * Reads what clients send as DateTime: RFC 3339 with a zone, such as 2026-11-21T15:30:00.000Z. Finer than milliseconds
 * is cut off.
 */
import { z } from 'zod'
import { badUserInput } from './bad-user-input.ts'

const rfc3339 = z.iso.datetime({ offset: true })
/** Years that PostgreSQL reads back as they were written. */
const EARLIEST = Date.parse('0001-01-01T00:00:00Z')
const LATEST = Date.parse('9999-12-31T23:59:59.999Z')

/** Throws BAD_USER_INPUT for anything else. */
export function readDateTime(value: unknown): Date {
  const parsed = rfc3339.safeParse(value)
  const date = new Date(parsed.success ? parsed.data : Number.NaN)
  const time = date.getTime()
  if (!(time >= EARLIEST && time <= LATEST)) {
    throw badUserInput('DateTime must be RFC 3339 with a time zone, such as "2026-11-21T15:30:00.000Z".')
  }
  return date
}
