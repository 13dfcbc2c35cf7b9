/** `graphql-codegen --config codegen.ts`: types of your own documents, by the schema of the running server. */
import type { CodegenConfig } from '@graphql-codegen/cli'

const config: CodegenConfig = {
  schema: 'http://127.0.0.1:4000/schema.graphql',
  documents: 'src/**/*.graphql',
  generates: {
    'src/generated/': {
      preset: 'client',
      presetConfig: { fragmentMasking: false },
      config: {
        documentMode: 'string',
        useTypeImports: true,
        // What the API's own scalars are in JSON: times and decimals are strings, and nothing is rounded on the way.
        scalars: { ID: 'string', DateTime: 'string', Decimal: 'string', Count: 'number', JSON: 'unknown' },
        // One that is forgotten above does not become "any".
        defaultScalarType: 'unknown',
        // New values may come with any version: a literal union is compared with "===" and needs a default.
        enumsAsTypes: true,
        futureProofEnums: true,
      },
    },
  },
}

export default config
