/** For fields that find a thing by an id of the caller's: one that is hidden from the caller leaves an audit entry. */
import type { GraphQLResolveInfo } from 'graphql'
import type { GraphQLContext } from '../context.ts'

export async function auditIfAbsent<Row>(
  row: Promise<Row | null>,
  { id, context, info }: { readonly id: string; readonly context: GraphQLContext; readonly info: GraphQLResolveInfo },
): Promise<Row | null> {
  const found = await row
  if (found === null) context.denials.absent(context.viewer, `${info.parentType.name}.${info.fieldName}`, id)
  return found
}
