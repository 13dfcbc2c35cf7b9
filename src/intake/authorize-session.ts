/**
 * May this caller touch a session of this id, and do what they want to do? Here is what depends on the id and the
 * caller alone: the answer is the same whether the session exists or not, so it tells nothing about it. Whether the
 * caller participates, and opened the session where that is needed, is asked by the statement that then acts.
 */
import { namespaceAllows, openerName, ownNamespace, seesAllSessions } from '../config/access/session-access.ts'
import type { Viewer } from '../core/identity.ts'
import { conflict, invalidInput, notFound, type Refusal } from '../core/refusal.ts'
import { isSessionId, SESSION_ID_RULE } from '../core/session/session-id.ts'
import { rightTo, type SessionAct } from '../core/session/session-rights.ts'
import { idKind } from '../platform/id.ts'
import type { SessionAccess } from '../store/intake/intake-access.ts'

/** A session by the id that the caller gave; nothing is known yet of whether it exists. */
export interface NamedSession {
  readonly sessionId: string
  /** The input field that holds the id. */
  readonly path: readonly string[]
}

/** For all of `acts`. */
export function authorizeSession(
  viewer: Viewer,
  { sessionId, path }: NamedSession,
  acts: readonly SessionAct[],
): SessionAccess | Refusal {
  if (!isSessionId(sessionId)) return invalidInput(path, SESSION_ID_RULE)
  const kind = idKind(sessionId)
  if (kind !== null)
    return invalidInput(path, `must not look like the id of a ${kind}; choose one such as "web:${kind}"`)
  if (!namespaceAllows(viewer, sessionId)) {
    return invalidInput(path, `must start with "${viewer.namespace}:", the namespace of token "${viewer.tokenName}"`)
  }
  const rights = new Set(acts.map((act) => rightTo(act, viewer)))
  if (rights.has('NEVER')) return conflict('NOT_ALLOWED', `Only an admin may ${describeActs(acts)}.`)
  return { ...accessOf(viewer), mustHaveOpened: rights.has('IF_OPENED') }
}

/**
 * What the caller may reach among the sessions whose ids are open to it, for what every viewer of a session may do
 * there.
 */
export function accessOf(viewer: Viewer): SessionAccess {
  return {
    all: seesAllSessions(viewer),
    userName: viewer.user?.name ?? null,
    tokenName: viewer.tokenName,
    opener: openerName(viewer),
    mustHaveOpened: false,
  }
}

/** The caller sees the session, and another caller opened it. */
export function refuseNotOpener(sessionId: string, acts: readonly SessionAct[]): Refusal {
  return conflict(
    'NOT_ALLOWED',
    `Only who opened session "${sessionId}", or an admin, may ${describeActs(acts)}.`,
    sessionId,
  )
}

/** The same for every id that the caller can neither see nor open, so it tells nothing about it. */
export function noSuchSession(viewer: Viewer, sessionId: string): Refusal {
  const refusal = notFound('session', sessionId)
  return {
    ...refusal,
    message: `${refusal.message} Sessions that you open have ids that begin with "${ownNamespace(viewer)}:".`,
  }
}

function describeActs(acts: readonly SessionAct[]): string {
  return acts.map((act) => WORDS[act]).join(', ')
}

const WORDS: Readonly<Record<SessionAct, string>> = {
  SEND: 'post in it',
  APPEND: 'append to it',
  APPEND_AS_AGENT: 'say what the assistant or the system said',
  UPDATE: 'change its description, webhook, metadata or settings',
  DELETE: 'delete it',
  ADD_PARTICIPANT: 'add participants',
  LEAVE: 'leave it',
  REMOVE_PARTICIPANT: 'remove participants',
  CANCEL_TURN: 'cancel its turns',
  CHECKPOINT: 'ask for a checkpoint of it',
  ERASE_USER: 'erase a user',
}
