/**
 * The schema builder that every type file of this folder adds to, when it is loaded; `schema.ts` loads them all and
 * builds. It holds declarations only: what a request needs comes with its context, so any number of servers can share
 * it.
 *
 * Access is denied by default, see `access.ts`. Type rules are checked once per object, not once per field.
 */
import SchemaBuilder from '@pothos/core'
import PrismaPlugin from '@pothos/plugin-prisma'
import ScopeAuthPlugin from '@pothos/plugin-scope-auth'
import type PrismaTypes from '../../generated/pothos-types.ts'
import { getDatamodel } from '../../generated/pothos-types.ts'
import type { GraphQLContext } from '../context.ts'
import { deniedError, grantedScopes, type AuthScopes } from './access.ts'
import type { JsonValue } from '../../core/tool/json.ts'

export interface SchemaTypes {
  Context: GraphQLContext
  PrismaTypes: PrismaTypes
  AuthScopes: AuthScopes
  DefaultFieldNullability: false
  Scalars: {
    ID: { Input: string; Output: string }
    DateTime: { Input: Date; Output: Date }
    JSON: { Input: JsonValue; Output: unknown }
    Count: { Input: number; Output: number | bigint }
    Decimal: { Input: string; Output: string }
  }
}

export const builder = new SchemaBuilder<SchemaTypes>({
  plugins: [ScopeAuthPlugin, PrismaPlugin],
  defaultFieldNullability: false,
  prisma: { client: (context) => context.database.prisma, dmmf: getDatamodel(), onUnusedQuery: null },
  scopeAuth: {
    authScopes: (context) => grantedScopes(context.viewer),
    runScopesOnType: true,
    authorizeOnSubscribe: true,
    unauthorizedError: (_parent, context, info) => {
      if (context.viewer !== null)
        context.denials.forbidden(context.viewer, `${info.parentType.name}.${info.fieldName}`)
      return deniedError(context.viewer)
    },
  },
})

/** The builder's own view of SchemaTypes, for functions that take references to its types. */
export type BuilderTypes = typeof builder extends PothosSchemaTypes.SchemaBuilder<infer Types> ? Types : never
