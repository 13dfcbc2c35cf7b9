/**
 * The rule for a platform identity: whom a connector names as a message's sender ("Marco#1234"), and what an alias maps
 * to a user. Any text that PostgreSQL can store, compared exactly: no case folding, no Unicode normalisation.
 */
import { isStorable } from '../../platform/well-formed.ts'

const MAX_LENGTH = 255

export const PLATFORM_IDENTITY_RULE = `must be 1 to ${MAX_LENGTH} characters without NUL and broken Unicode`

export function isPlatformIdentity(text: string): boolean {
  return text !== '' && text.length <= MAX_LENGTH && isStorable(text)
}
