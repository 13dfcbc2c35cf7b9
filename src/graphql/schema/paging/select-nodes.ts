/**
 * What Prisma is to load of the rows of the connection that a field returns: what the document selects below
 * `edges.node`.
 */
import { queryFromInfo } from '@pothos/plugin-prisma'
import type { GraphQLResolveInfo } from 'graphql'

/** `columns` are loaded in any case: the id, and what cursors are made of. */
export function selectNodes<Columns extends { readonly id: true }>(
  place: { readonly context: object; readonly info: GraphQLResolveInfo },
  typeName: string,
  columns: Columns,
): { select: Columns } {
  const { context, info } = place
  // All types select by column (`select` in their prismaObject), so there is never an `include`.
  return queryFromInfo({ context, info, typeName, path: ['edges', 'node'], select: columns }) as { select: Columns }
}
