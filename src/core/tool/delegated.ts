/**
 * What holds for a session that was opened for a delegated task: what it may call, and how much further it may
 * delegate. The session is recognised by its id, so that all others need no read.
 */
import { DELEGATION_NAMESPACE, namespaceOf } from '../session/session-id.ts'
import { matchesTool } from './tool-name.ts'

/** Of a child; its own children may have no more. */
export interface DelegationLimits {
  /** 0: no child. */
  readonly depth: number
  /** Of the budget of a session. */
  readonly share: number
  /** Patterns of what it may call: tools, "skills__<skill>" and "exec". */
  readonly tools: readonly string[]
  /** People whom nobody knows have written in a session above. */
  readonly strangers: boolean
}

/** Of a session that is no child. */
export const NOT_DELEGATED: DelegationLimits = { depth: 0, share: 1, tools: ['*'], strangers: false }

/** How the reason of a pause begins when a turn waits for its children, and for nothing else that lets it go on. */
export const WAITS_FOR_CHILDREN = 'It waits for the sessions that'

/** How such a reason goes on, with the ids of approvals, when a person must decide before a child goes on. */
export const ASKS_BELOW = ' A decision is waited for there: '

export const MAX_DEPTH = 2
/** Of one turn. */
export const MAX_AT_ONCE = 3
/** Of one user, in 24 hours. */
export const MAX_PER_DAY = 20
/** How often the child may answer until the review is content. */
export const MAX_ROUNDS = 5

/** "delegation:dlg_…". */
export function childIdOf(delegationId: string): string {
  return `${DELEGATION_NAMESPACE}:${delegationId}`
}

/** The delegation for which the session was opened; null: it is no child. */
export function delegationOf(sessionId: string): string | null {
  if (namespaceOf(sessionId) !== DELEGATION_NAMESPACE) return null
  return sessionId.slice(DELEGATION_NAMESPACE.length + 1)
}

/** Whether the session may call what has this name. */
export function mayCall({ tools }: Pick<DelegationLimits, 'tools'>, name: string): boolean {
  return tools.some((pattern) => matchesTool(pattern, name))
}
