/**
 * What is wrong with a piece of text that a client sent, as issues that say where it is, what it is and what it must
 * be.
 */
import type { InputIssue } from '../refusal.ts'
import { isStorable } from '../../platform/well-formed.ts'

export interface TextRule {
  /** Shortest and longest length, in UTF-16 code units. */
  readonly min: number
  readonly max: number
}

/** Names and keys that a client chooses. */
export const KEY_RULE: TextRule = { min: 1, max: 255 }

/** No issue when `value` is absent. */
export function textIssues(path: readonly string[], value: string | null | undefined, rule: TextRule): InputIssue[] {
  if (value === null || value === undefined) return []
  if (value.length < rule.min) return [{ path, message: 'must not be empty' }]
  if (value.length > rule.max) {
    return [{ path, message: `must be at most ${rule.max} characters long, not ${value.length}` }]
  }
  const problem = unstorable(value)
  return problem === null ? [] : [{ path, message: problem }]
}

/** Why PostgreSQL cannot store `text` as it is, with the position (in UTF-16 code units), or null when it can. */
export function unstorable(text: string): string | null {
  if (isStorable(text)) return null
  const nul = text.indexOf('\0')
  if (nul >= 0) return `must not contain the NUL character (found at position ${nul})`
  return `must be well-formed Unicode (half of a surrogate pair at position ${brokenAt(text)})`
}

function brokenAt(text: string): number {
  const repaired = text.toWellFormed()
  let position = 0
  while (text.charCodeAt(position) === repaired.charCodeAt(position)) position++
  return position
}
