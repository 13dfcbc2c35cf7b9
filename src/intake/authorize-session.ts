/**
 * May this caller touch a session of this id? Here is what depends on the id alone: the answer is the same whether the session
 * exists or not, so it tells nothing about it. Whether the caller participates is asked by the statement that then acts.
 */
import { namespaceAllows, seesAllSessions } from '../config/session-access.ts'
import type { Viewer } from '../core/identity.ts'
import { invalidInput, type Refusal } from '../core/refusal.ts'
import { isSessionId, SESSION_ID_RULE } from '../core/session-id.ts'
import { idKind } from '../platform/id.ts'
import type { SessionAccess } from '../store/intake-access.ts'

/** `path` is the input field that holds the id. */
export function authorizeSession(viewer: Viewer, sessionId: string, path: readonly string[]): SessionAccess | Refusal {
  if (!isSessionId(sessionId)) return invalidInput(path, SESSION_ID_RULE)
  const kind = idKind(sessionId)
  if (kind !== null)
    return invalidInput(path, `must not look like the id of a ${kind}; choose one such as "web:${kind}"`)
  if (!namespaceAllows(viewer, sessionId)) {
    return invalidInput(path, `must start with "${viewer.namespace}:", the namespace of token "${viewer.tokenName}"`)
  }
  return accessOf(viewer)
}

/** What the caller may reach among the sessions whose ids are open to it. */
export function accessOf(viewer: Viewer): SessionAccess {
  return { all: seesAllSessions(viewer), userName: viewer.user?.name ?? null, tokenName: viewer.tokenName }
}
