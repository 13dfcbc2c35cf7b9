/** The rule for a session's metadata: a JSON object of bounded size and depth that PostgreSQL can store. */
import type { InputIssue } from '../../core/refusal.ts'
import { unstorable } from '../../core/text/text-rule.ts'

/** Bytes of a session's whole metadata, as PostgreSQL writes it as JSON text. */
export const MAX_METADATA_BYTES = 16 * 1024
const MAX_DEPTH = 16

const PATH = ['metadata']

/** What merging an object into a session's metadata means: keys to set, and keys to drop (those given as null). */
export interface MetadataChange {
  readonly set: string
  readonly drop: readonly string[]
}

/** A JSON object; its values are not checked by this type (`metadataIssues` does that). */
export type MetadataObject = Readonly<Record<string, unknown>>

/** Whether the value is an object and no array; says nothing of its size and depth. */
export function isMetadataObject(value: unknown): value is MetadataObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** No issue when `metadata` is absent. */
export function metadataIssues(metadata: unknown): InputIssue[] {
  if (metadata === null || metadata === undefined) return []
  if (!isMetadataObject(metadata)) return [{ path: PATH, message: 'must be a JSON object, such as {"chatId": "42"}' }]
  const measured = measure(metadata, 1)
  if (measured.problem !== null) return [{ path: PATH, message: measured.problem }]
  if (measured.bytes > MAX_METADATA_BYTES) return [{ path: PATH, message: METADATA_TOO_LARGE }]
  return []
}

/** For an input that is too large by itself, and for one that is too large merged into what is there. */
export const METADATA_TOO_LARGE =
  `must not make the session's metadata larger than ${MAX_METADATA_BYTES} bytes (16 KiB) of JSON; ` +
  'a key set to null is removed from it'

/** Keys are merged one by one, not deeply; null removes a key. */
export function metadataChange(metadata: MetadataObject | null | undefined): MetadataChange {
  const entries = Object.entries(metadata ?? {})
  return {
    // Not through an object: it would take the key "__proto__" for something else.
    set: `{${entries
      .filter(([, value]) => value !== null)
      .map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`)
      .join(',')}}`,
    drop: entries.filter(([, value]) => value === null).map(([key]) => key),
  }
}

interface Measured {
  /** Never less than the length of the text that PostgreSQL makes of the value. */
  readonly bytes: number
  readonly problem: string | null
}

function measure(value: unknown, depth: number): Measured {
  if (typeof value === 'string') return { bytes: Buffer.byteLength(JSON.stringify(value)), problem: unstorable(value) }
  if (typeof value === 'number') return { bytes: numberBytes(value), problem: null }
  if (typeof value !== 'object' || value === null) return { bytes: String(value).length, problem: null }
  if (depth > MAX_DEPTH) return { bytes: 0, problem: `must not be nested deeper than ${MAX_DEPTH} levels` }
  const parts = Array.isArray(value) ? value : Object.entries(value).flat()
  let bytes = 2
  for (const part of parts) {
    const measured = measure(part, depth + 1)
    if (measured.problem !== null) return measured
    // ", " or ": " around every part.
    bytes += measured.bytes + 2
    if (bytes > MAX_METADATA_BYTES) break
  }
  return { bytes, problem: null }
}

/** PostgreSQL writes numbers out in full: 1e+308 has 309 digits. */
function numberBytes(value: number): number {
  const [digits = '', exponent = '0'] = String(value).split('e')
  return digits.length + Math.abs(Number(exponent)) + 2
}
