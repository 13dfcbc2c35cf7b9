/** The schema as schema.graphql holds it: what clients generate their types from. */
import { printSchema, type GraphQLSchema } from 'graphql'

export function printedSchema(schema: GraphQLSchema): string {
  return `# Factotum's GraphQL API. Printed by scripts/print-schema.ts; do not edit.\n\n${printSchema(schema)}\n`
}
