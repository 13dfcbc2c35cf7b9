/**
 * Prints the GraphQL schema into schema.graphql, sorted by name so that diffs show what changed. Run it after each
 * change of src/graphql/schema (`npm run print-schema`); a test fails while the file and the code differ.
 */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { printedSchema } from '../src/graphql/schema/printed-schema.ts'
import { buildSchema } from '../src/graphql/schema/schema.ts'

writeFileSync(fileURLToPath(new URL('../schema.graphql', import.meta.url)), printedSchema(buildSchema()))
