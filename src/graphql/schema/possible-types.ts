/** Which types each union and interface has, as caches of clients want to know it (Apollo's `possibleTypes`). */
import { isAbstractType, type GraphQLSchema } from 'graphql'

/** JSON, sorted by name. */
export function possibleTypes(schema: GraphQLSchema): string {
  const abstract = Object.values(schema.getTypeMap()).filter((type) => isAbstractType(type))
  const sorted = abstract.toSorted((one, other) => one.name.localeCompare(other.name, 'en'))
  const entries = sorted.map((type) => [
    type.name,
    schema
      .getPossibleTypes(type)
      .map(({ name }) => name)
      .toSorted(),
  ])
  return `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`
}
