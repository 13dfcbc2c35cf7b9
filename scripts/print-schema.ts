/**
 * Prints the GraphQL schema into schema.graphql, sorted by name so that diffs show what changed, and for the caches of
 * clients into possibleTypes.json. Run it after each change of src/graphql/schema (`npm run print-schema`); a test
 * fails while the files and the code differ.
 */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { possibleTypes } from '../src/graphql/schema/possible-types.ts'
import { printedSchema } from '../src/graphql/schema/printed-schema.ts'
import { buildSchema } from '../src/graphql/schema/schema.ts'

const schema = buildSchema()
const write = (name: string, text: string): void =>
  writeFileSync(fileURLToPath(new URL(`../${name}`, import.meta.url)), text)
write('schema.graphql', printedSchema(schema))
write('possibleTypes.json', possibleTypes(schema))
