/**
 * Who may read which field. Every object type (or, for the root types, every field) names a rule;
 * `assertEveryFieldHasAccessRule` runs when the schema is built, so a field without a rule stops the start instead of
 * leaking.
 *
 * These rules say who may ask at all. Which sessions a viewer may see is decided where a query, mutation or
 * subscription enters (`session-visibility.ts`); from there on, everything reachable belongs to that session. Only
 * facts lead out of it, and check where they lead themselves (`fact.ts`).
 */
import { GraphQLError, isIntrospectionType, isObjectType, type GraphQLObjectType, type GraphQLSchema } from 'graphql'
import type { Viewer } from '../../core/identity.ts'
import { BugError } from '../../platform/must.ts'

export interface AuthScopes {
  /** Any known token. */
  authenticated: boolean
  /** A token of a user with role ADMIN. */
  admin: boolean
}

/** The rule of all types and fields that any known token may read. */
export const AUTHENTICATED = { authenticated: true } as const satisfies Partial<AuthScopes>

export function grantedScopes(viewer: Viewer | null): AuthScopes {
  return { authenticated: viewer !== null, admin: viewer?.role === 'ADMIN' }
}

export function deniedError(viewer: Viewer | null): GraphQLError {
  return viewer === null
    ? new GraphQLError('Send a known token: "Authorization: Bearer <token>".', {
        extensions: { code: 'UNAUTHENTICATED' },
      })
    : new GraphQLError('Only admins may do this.', { extensions: { code: 'FORBIDDEN' } })
}

/** Throws BugError, naming the first field without a rule. */
export function assertEveryFieldHasAccessRule(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || isIntrospectionType(type) || hasRule(type)) continue
    const open = Object.values(type.getFields()).find((field) => !hasRule(field))
    if (open !== undefined)
      throw new BugError(`${type.name}.${open.name} has no access rule: give it or its type authScopes.`)
  }
}

function hasRule(element: Pick<GraphQLObjectType, 'extensions'>): boolean {
  const options = element.extensions['pothosOptions'] as { authScopes?: unknown } | undefined
  return options?.authScopes !== undefined && options.authScopes !== null
}
