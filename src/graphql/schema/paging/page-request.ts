/**
 * What the paging arguments of a list ask for, checked: as many rows as its field allows, from one end, between two
 * cursors.
 */
import type { GraphQLResolveInfo } from 'graphql'
import { must } from '../../../platform/must.ts'
import { pagedOf, type Paged } from '../../operation/paged.ts'
import { badUserInput } from '../values/bad-user-input.ts'
import { decodeCursor, type CursorKind, type Position } from './cursor.ts'

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

/** The field that is resolved: `paged` stands in its extensions. */
export type PagedField = Pick<GraphQLResolveInfo, 'parentType' | 'fieldName'>

/**
 * Throws BAD_USER_INPUT for a size that the field does not allow, both `first` and `last`, or a cursor that is none.
 */
export function readPageRequest<K extends CursorKind>(kind: K, args: PageArguments, field: PagedField): PageRequest<K> {
  return {
    size: readPageSize(args, field),
    fromEnd: args.last != null,
    after: args.after == null ? null : decodeCursor(kind, args.after, 'after'),
    before: args.before == null ? null : decodeCursor(kind, args.before, 'before'),
  }
}

/** How many are asked for. Throws BAD_USER_INPUT as above. */
export function readPageSize({ first, last }: PageArguments, field: PagedField): number {
  const paged = declaredBy(field)
  if (first != null && last != null) throw badUserInput('Pass "first" or "last", not both.')
  if (first != null) return checkSize('first', first, paged)
  return last == null ? paged.default : checkSize('last', last, paged)
}

function declaredBy({ parentType, fieldName }: PagedField): Paged {
  const field = must(parentType.getFields()[fieldName], 'the field that is resolved is in the schema')
  return must(pagedOf(field), `${parentType.name}.${fieldName} declares "paged"`)
}

function checkSize(argument: string, size: number, paged: Paged): number {
  const max = must(paged.max, 'a list that takes a size has a largest one')
  if (size < 1 || size > max) throw badUserInput(`"${argument}" must be 1 to ${max}; it is ${size}.`)
  return size
}
