/**
 * Types the GraphQL documents of the tests and of every client written here: from schema.graphql and test/documents into
 * test/generated (not committed). Run by `npm run generate`.
 */
import type { CodegenConfig } from '@graphql-codegen/cli'

const config: CodegenConfig = {
  schema: 'schema.graphql',
  documents: ['test/documents/**/*.graphql'],
  ignoreNoDocuments: false,
  generates: {
    'test/generated/': {
      preset: 'client',
      presetConfig: { fragmentMasking: false },
      config: {
        documentMode: 'string',
        useTypeImports: true,
        importExtension: '.ts',
        emitLegacyCommonJSImports: false,
        defaultScalarType: 'unknown',
        scalars: { DateTime: 'string', ID: 'string' },
        enumsAsTypes: true,
        skipTypename: true,
      },
    },
  },
}

export default config
