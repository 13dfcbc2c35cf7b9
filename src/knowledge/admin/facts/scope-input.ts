/** The scope that a person names for a fact: whether there is such a one. */
import { currentName } from '../../../config/access/current-user.ts'
import type { Config } from '../../../config/config.ts'
import { GLOBAL_SCOPE, type Scope } from '../../../core/knowledge/fact-scope.ts'
import { invalidInput, notFound, type Refusal } from '../../../core/refusal.ts'
import { isSessionId } from '../../../core/session/session-id.ts'
import type { FactScope } from '../../../core/status.ts'
import { textIssues } from '../../../core/text/text-rule.ts'
import type { Database } from '../../../store/database.ts'

export interface ScopeInput {
  readonly scope: FactScope
  /** The project's label, the user's name, the session's id; none with GLOBAL. */
  readonly of?: string | null | undefined
}

const MAX_LABEL_LENGTH = 200

interface Context {
  readonly database: Database
  readonly config: { current(): Config }
}

/** A refusal has a `kind`. NotFound without the user or the session. */
export async function readScope({ database, config }: Context, { scope, of }: ScopeInput): Promise<Scope | Refusal> {
  if (scope === 'GLOBAL') return of == null ? GLOBAL_SCOPE : invalidInput(['scope', 'of'], 'must be absent with GLOBAL')
  const [issue] = textIssues(['scope', 'of'], of ?? '', { min: 1, max: MAX_LABEL_LENGTH })
  if (of == null || issue !== undefined)
    return invalidInput(['scope', 'of'], issue?.message ?? `must stand with ${scope}`)
  if (scope === 'PROJECT') return { scope, scopeOf: of }
  if (scope === 'USER') {
    const scopeOf = currentName(config.current(), of)
    return config.current().users.has(scopeOf) ? { scope, scopeOf } : notFound('user', of)
  }
  const isThere =
    isSessionId(of) && (await database.prisma.session.findUnique({ where: { id: of }, select: { id: true } }))
  return isThere ? { scope, scopeOf: of } : notFound('session', of)
}
