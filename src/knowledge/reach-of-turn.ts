/**
 * Which facts a turn's agents may be shown, by its user and its session. What is one user's is left out where others
 * read along. A project's label counts only where no user of role USER has written it, of whichever user the turn is:
 * the opener writes it, may write any, and reads what an admin is answered there.
 */
import { currentName, currentUser } from '../config/access/current-user.ts'
import type { Config } from '../config/config.ts'
import { GLOBAL_SCOPE, reachOfScope, scopeKey, type Reach, type Scope } from '../core/knowledge/fact-scope.ts'
import { DELEGATION_NAMESPACE, USER_MARK } from '../core/session/session-id.ts'
import type { Database } from '../store/database.ts'
import { UNKNOWN_TEACHER } from '../store/knowledge/vouched-facts.ts'

interface Who {
  readonly sessionId: string
  readonly userName: string
}

export async function reachOfTurn(database: Database, config: Config, { sessionId, userName }: Who): Promise<Reach> {
  const [session] = await database.query<Row>(SESSION, [sessionId, userName])
  const scopes: Scope[] = [GLOBAL_SCOPE, { scope: 'SESSION', scopeOf: sessionId }]
  if (session === undefined) return scopes.map(scopeKey)
  const { project, openedBy, isAlone } = session
  if (isAlone) scopes.push({ scope: 'USER', scopeOf: userName })
  const counts = openedBy?.startsWith(USER_MARK) !== true || isAdmin(config, openedBy.slice(USER_MARK.length))
  if (project !== null && project !== '' && counts) scopes.push({ scope: 'PROJECT', scopeOf: project })
  return scopes.map(scopeKey)
}

/**
 * Whose word an agent of this user takes as it is. An admin's plans may do everything, so of what others taught, admins
 * or not, they go by what a person has reviewed: only the admin's own word counts at once. Where there is no other one,
 * a fact of which it is not known who taught it is the admin's. Null: everybody's word counts.
 */
export function teachersFor(config: Config, userName: string): readonly string[] | null {
  if (!isAdmin(config, userName)) return null
  const own = currentName(config, userName)
  const former = [...config.formerNames].flatMap(([name, now]) => (now === own ? [name] : []))
  return [own, ...former, ...(config.users.size === 1 ? [UNKNOWN_TEACHER] : [])]
}

/**
 * The facts that the curator is shown beside a learning of that scope: those of the learning's readers, apart from what
 * is kept from others who read along there.
 */
export async function reachOfCurator(
  database: Database,
  config: Config,
  { sessionId, scope }: { readonly sessionId: string; readonly scope: Scope },
): Promise<Reach> {
  const userName = scope.scope === 'USER' ? scope.scopeOf : ''
  const shown = await reachOfTurn(database, config, { sessionId, userName })
  return reachOfScope(scope).filter((key) => shown.includes(key))
}

/**
 * The scope of what is taught there: of role USER, that user's; of an admin, the project's, or everybody's; the
 * session's where no user teaches.
 */
export async function scopeTaught(
  database: Database,
  config: Config,
  { sessionId, userName }: { readonly sessionId: string; readonly userName: string | null },
): Promise<Scope> {
  const user = userName === null ? null : currentUser(config, userName)
  if (user === null) return { scope: 'SESSION', scopeOf: sessionId }
  if (user.role !== 'ADMIN') return { scope: 'USER', scopeOf: user.name }
  const [session] = await database.query<Row>(SESSION, [sessionId, user.name])
  const project = session?.project ?? ''
  return project === '' ? GLOBAL_SCOPE : { scope: 'PROJECT', scopeOf: project }
}

function isAdmin(config: Config, userName: string): boolean {
  return currentUser(config, userName)?.role === 'ADMIN'
}

interface Row {
  readonly project: string | null
  readonly openedBy: string | null
  /** No other user takes part in it, nor in a session above it that delegated the task. */
  readonly isAlone: boolean
}

/**
 * Labels are compared as they are; of what is longer than one can be, none matches. What a delegated task is answered
 * is read in the session above it, too.
 */
const SESSION = {
  name: 'knowledge.session-of-reach',
  text: `SELECT CASE WHEN jsonb_typeof(metadata->'project') = 'string' THEN left(metadata->>'project', 200) END AS project,
      opened_by AS "openedBy", NOT EXISTS (
        WITH RECURSIVE read_in (id) AS (SELECT s.id UNION ALL SELECT d.session_id FROM read_in r JOIN delegations d
          ON starts_with(r.id, '${DELEGATION_NAMESPACE}:') AND d.id = substr(r.id, ${DELEGATION_NAMESPACE.length + 2}))
        SELECT FROM read_in JOIN sessions o USING (id) WHERE o.source_type = 'GROUP'
          OR EXISTS (SELECT FROM participants WHERE session_id = o.id AND user_name <> $2)) AS "isAlone"
    FROM sessions s WHERE id = $1`,
}
