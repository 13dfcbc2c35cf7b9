/**
 * Which sessions a viewer may touch, and which they may open (docs/security.md). A session is accessible when
 * `namespaceAllows` its id, and the viewer either `seesAllSessions` or is one of its participants. Any other session
 * must look absent. What an accessible session allows whom is core/session/session-rights.ts.
 *
 * Ids lie in name spaces, and a viewer opens no session in the name space of another: so opening one never shows that
 * an id is taken by a session that the viewer cannot see.
 */
import type { Viewer } from '../../core/identity.ts'
import { isServersNamespace, namespaceOf, USER_MARK } from '../../core/session/session-id.ts'
import type { Config, TokenConfig } from '../config.ts'

/** Only connectors are confined: to ids that start with their namespace and ":", unless that is "*". */
export function namespaceAllows(viewer: Viewer, sessionId: string): boolean {
  return viewer.namespace === null || sessionId.startsWith(`${viewer.namespace}:`)
}

/**
 * Admins and connectors need not participate (a connector's namespace confines it all the same); users of role USER
 * must.
 */
export function seesAllSessions(viewer: Viewer): boolean {
  return viewer.tokenKind === 'CONNECTOR' || viewer.role === 'ADMIN'
}

/** Whether a session of this id is accessible to the viewer, by the names of its participants. */
export function seesSession(viewer: Viewer, sessionId: string, participants: ReadonlySet<string>): boolean {
  if (!namespaceAllows(viewer, sessionId)) return false
  return seesAllSessions(viewer) || (viewer.user !== null && participants.has(viewer.user.name))
}

/**
 * The name space in which the viewer opens sessions, whatever else is in use: "@anna" for a user, "discord" for a
 * connector.
 */
export function ownNamespace({ user, namespace, tokenName }: Viewer): string {
  return user === null ? (namespace ?? tokenName) : `${USER_MARK}${user.name}`
}

/**
 * Whether a session of this id is opened when there is none. It depends on the id, the viewer and the configuration
 * alone, never on what there is. Ids outside all name spaces ("cli:demo") are for those who see every session.
 */
export function mayOpenSession(config: Pick<Config, 'tokens'>, viewer: Viewer, sessionId: string): boolean {
  const namespace = namespaceOf(sessionId)
  if (isServersNamespace(namespace)) return false
  if (namespace === ownNamespace(viewer)) return true
  if (sessionId.startsWith(USER_MARK)) return false
  const isFree = namespace === null || ![...config.tokens.values()].some((token) => owns(token, namespace))
  return isFree && viewer.namespace === null && seesAllSessions(viewer)
}

function owns({ kind, name, namespace }: TokenConfig, wanted: string): boolean {
  return kind === 'CONNECTOR' && (namespace ?? name) === wanted
}

/** How `sessions.opened_by` names the viewer: a user by name, whatever their token; a connector by its token's. */
export function openerName({ user, tokenName }: Pick<Viewer, 'user' | 'tokenName'>): string {
  return user === null ? tokenName : `${USER_MARK}${user.name}`
}
