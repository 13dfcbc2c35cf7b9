/** The sessions of clients that name conversations by ids of their own. */
import { createHash } from 'node:crypto'
import { ownNamespace } from '../../config/access/session-access.ts'
import type { Viewer } from '../../core/identity.ts'
import { isSessionId } from '../../core/session/session-id.ts'

/** Which session it was, in the answers of protocols that have no other place for it. */
export const SESSION_HEADER = 'x-factotum-session'

/**
 * The session that a client means by `name`: a whole id as it is ("@anna:web:1"); a name without a colon, such as the
 * UUID of a thread, in the caller's own name space. Of a name that is none, the hash.
 */
export function ownSession(viewer: Viewer, name: string): string {
  if (name.includes(':')) return name
  const id = `${ownNamespace(viewer)}:${name}`
  if (isSessionId(id)) return id
  return `${ownNamespace(viewer)}:${nameFor(name)}`
}

/** The part of a session's id that stands for any text, always the same: its hash. */
export function nameFor(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}
