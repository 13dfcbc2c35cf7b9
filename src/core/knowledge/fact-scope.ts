/**
 * Whom a fact is shown: everybody, the sessions of a project, one user, one session. What stands in a prompt, and what
 * a query answers, are facts of the scopes that its user and its session are in (Reach), and no others.
 */
import type { FactScope } from '../status.ts'

export interface Scope {
  readonly scope: FactScope
  /** PROJECT: its label; USER: the user's name; SESSION: its id; GLOBAL: "". */
  readonly scopeOf: string
}

/** Begins the `scopeOf` of what was a session's that is deleted: no session's, also not of one with the same id. */
const GONE = 'gone '

/** What people are shown of a scope; null: it needs no name, or what it names is gone. */
export function nameOfScope({ scope, scopeOf }: Scope): string | null {
  return scope === 'GLOBAL' || (scope === 'SESSION' && scopeOf.startsWith(GONE)) ? null : scopeOf
}

export const GLOBAL_SCOPE: Scope = { scope: 'GLOBAL', scopeOf: '' }

/** Keys of scopes, as SQL compares them. */
export type Reach = readonly string[]

export function scopeKey({ scope, scopeOf }: Scope): string {
  return `${scope} ${scopeOf}`
}

/** All that the readers of a fact of this scope are shown. */
export function reachOfScope(scope: Scope): Reach {
  return [...new Set([scopeKey(GLOBAL_SCOPE), scopeKey(scope)])]
}

export function isSameScope(one: Scope, other: Scope): boolean {
  return scopeKey(one) === scopeKey(other)
}

const WIDEST_FIRST: readonly FactScope[] = ['GLOBAL', 'PROJECT', 'SESSION', 'USER']

/** The first of the widest; `otherwise` of none. */
export function widestScope(scopes: readonly Scope[], otherwise: Scope): Scope {
  const byWidth = scopes.toSorted((a, b) => WIDEST_FIRST.indexOf(a.scope) - WIDEST_FIRST.indexOf(b.scope))
  const [widest] = byWidth
  return widest === undefined ? otherwise : { scope: widest.scope, scopeOf: widest.scopeOf }
}
