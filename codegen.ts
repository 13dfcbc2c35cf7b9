/**
 * Types GraphQL documents by schema.graphql: those of the client into packages/client/src/generated, those of the
 * console, of the terminal's commands and of the tests, which share its fragments, into console/src/generated,
 * src/generated/remote and test/generated. None of it is committed. Run by `npm run generate`.
 */
import type { CodegenConfig } from '@graphql-codegen/cli'

const client = {
  preset: 'client' as const,
  presetConfig: { fragmentMasking: false },
  config: {
    documentMode: 'string',
    useTypeImports: true,
    importExtension: '.ts',
    emitLegacyCommonJSImports: false,
    defaultScalarType: 'unknown',
    scalars: { DateTime: 'string', ID: 'string', Count: 'number', Decimal: 'string' },
    enumsAsTypes: true,
    skipTypename: true,
  },
}
const CLIENT = 'packages/client/src/documents/*.graphql'

const config: CodegenConfig = {
  schema: 'schema.graphql',
  ignoreNoDocuments: false,
  generates: {
    'packages/client/src/generated/': { ...client, documents: [CLIENT] },
    'console/src/generated/': { ...client, documents: [CLIENT, 'console/src/**/*.graphql'] },
    'src/generated/remote/': { ...client, documents: [CLIENT, 'src/remote/documents/*.graphql'] },
    'test/generated/': { ...client, documents: [CLIENT, 'test/documents/**/*.graphql'] },
  },
}

export default config
