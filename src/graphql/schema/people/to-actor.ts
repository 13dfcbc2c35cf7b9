/** Whom a row names as who acted. */
import type { Config } from '../../../config/config.ts'
import type { StoredAuditEntry } from '../../../core/audit-entry.ts'
import { isServerPart } from '../../../core/server-parts.ts'
import { USER_MARK } from '../../../core/session/session-id.ts'
import { ERASED } from '../../../core/text/erased.ts'
import { actorAs, type Actor } from './actor.ts'
import { toUserNode } from './user.ts'

type ConfiguredUsers = Pick<Config, 'users'>

/** A name that a user has or had, or a part of the server. A name is never given to another user. */
export function actorNamed({ users }: ConfiguredUsers, name: string): Actor {
  if (isServerPart(name)) return serverPart(name)
  if (name === ERASED) return stranger(name)
  const user = users.get(name)
  return user === undefined ? actorAs('FormerUser', { name }) : actorAs('User', toUserNode(user))
}

export function stranger(name: string): Actor {
  return actorAs('Stranger', { name })
}

export function serverPart(name: string): Actor {
  return actorAs('ServerPart', { name })
}

/** As `sessions.opened_by` names them: "@anna", or a connector's token. */
export function openerNamed(config: ConfiguredUsers, openedBy: string): Actor {
  if (openedBy.startsWith(USER_MARK)) return actorNamed(config, openedBy.slice(USER_MARK.length))
  return actorAs('Connector', { name: openedBy })
}

/** An entry without a name is a connector's, by its token, or the server's own; who is denied may be nobody we know. */
export function auditActor(config: ConfiguredUsers, { actor, tokenName, body }: StoredAuditEntry): Actor {
  if (actor !== null) return actorNamed(config, actor)
  if (body.kind === 'ACCESS_DENIED' && (body.reason === 'UNKNOWN_TOKEN' || tokenName === null)) return stranger('')
  return tokenName === null ? serverPart('server') : actorAs('Connector', { name: tokenName })
}
