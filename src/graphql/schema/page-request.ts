/**
 * What the paging arguments of a connection ask for, checked: at most 100 rows from one end, between two cursors.
 */
import { badUserInput } from './bad-user-input.ts'
import { decodeCursor, type CursorKind, type Position } from './cursor.ts'

export const MAX_PAGE = 100
export const DEFAULT_PAGE = 20

export interface PageArguments {
  readonly first?: number | null | undefined
  readonly after?: string | null | undefined
  readonly last?: number | null | undefined
  readonly before?: string | null | undefined
}

export interface PageRequest<K extends CursorKind> {
  /** How many rows the client gets; read one more to know whether there are further ones. */
  readonly size: number
  /** Read from the end of the list (`last`); the page itself is always in the order of the list. */
  readonly fromEnd: boolean
  readonly after: Position<K> | null
  readonly before: Position<K> | null
}

/** Throws BAD_USER_INPUT for a size outside 1 to 100, both `first` and `last`, or a cursor that is none. */
export function readPageRequest<K extends CursorKind>(kind: K, args: PageArguments): PageRequest<K> {
  const { first, last } = args
  if (first != null && last != null) throw badUserInput('Pass "first" or "last", not both.')
  return {
    size: first != null ? checkSize('first', first) : last != null ? checkSize('last', last) : DEFAULT_PAGE,
    fromEnd: last != null,
    after: args.after == null ? null : decodeCursor(kind, args.after, 'after'),
    before: args.before == null ? null : decodeCursor(kind, args.before, 'before'),
  }
}

/** Throws BAD_USER_INPUT unless `size` is 1 to `max`. */
export function checkSize(argument: string, size: number, max: number = MAX_PAGE): number {
  if (size < 1 || size > max) throw badUserInput(`"${argument}" must be 1 to ${max}; it is ${size}.`)
  return size
}
