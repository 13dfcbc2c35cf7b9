/** The rule for the text of a search. */
import { isStorable } from '../../../platform/well-formed.ts'
import { badUserInput } from './bad-user-input.ts'

export const MAX_SEARCH_LENGTH = 200

/** Throws BAD_USER_INPUT for text that is too long or that no row could hold. */
export function checkSearch(search: string): string {
  if (search.length <= MAX_SEARCH_LENGTH && isStorable(search)) return search
  throw badUserInput(`"search" must be at most ${MAX_SEARCH_LENGTH} characters of valid Unicode without NUL.`)
}
