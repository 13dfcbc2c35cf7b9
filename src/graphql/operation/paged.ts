/**
 * How long a list is, declared as `extensions.paged` of its field or, for connections, of their type: its resolver and
 * the cost of operations read the same numbers, so what is counted is what is given. A test walks the schema: every
 * list has them.
 */
import { getNamedType, isObjectType, type GraphQLField } from 'graphql'

export interface Paged {
  /** How many entries there are when no size is asked for; of a list that takes no size, how many its cost assumes. */
  readonly default: number
  /** The largest size that may be asked for, or that is given; null: all that are stored. */
  readonly max: number | null
}

interface HasExtensions {
  readonly extensions: Readonly<Record<string, unknown>>
}

/** Null: the field is no list, or is a list that does not say how long it is. */
export function pagedOf(field: Pick<GraphQLField<unknown, unknown>, 'extensions' | 'type'>): Paged | null {
  const type = getNamedType(field.type)
  return declaredBy(field) ?? (isObjectType(type) ? declaredBy(type) : null)
}

function declaredBy({ extensions }: HasExtensions): Paged | null {
  return (extensions['paged'] as Paged | undefined) ?? null
}
