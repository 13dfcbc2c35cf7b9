/**
 * Text to look rows up by. What PostgreSQL could not even read (NUL, half a character) stands for "", which no row has.
 */
import { isStorable } from '../../../platform/well-formed.ts'

export function matchable(text: string): string {
  return isStorable(text) ? text : ''
}
