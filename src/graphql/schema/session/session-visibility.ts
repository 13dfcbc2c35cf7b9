/**
 * Which sessions a viewer may see: the one rule behind every query. Everything else hangs on a session, so a field that
 * starts from a session the viewer may see can never lead out of it.
 *
 *   admin                        every session
 *   connector with a namespace   those whose id starts with "<namespace>:"
 *   connector without one        every session
 *   user                         those in which they participate
 *
 * What a viewer may not see is answered as if it did not exist: the same null, the same NOT_FOUND, from the same
 * statement.
 */
import { seesAllSessions } from '../../../config/access/session-access.ts'
import type { Viewer } from '../../../core/identity.ts'
import type { Prisma } from '../../../generated/prisma/client.ts'
import { likeLiteral } from '../values/like-literal.ts'
import { matchable } from '../values/matchable.ts'

/** The rule, taken apart: all that is not null must hold. */
export interface SeenSessions {
  /** Their ids start with it. */
  readonly prefix: string | null
  /** This user participates. */
  readonly participant: string | null
}

/** The same rule as in src/config/access/session-access.ts, for statements. */
export function seenSessions(viewer: Viewer): SeenSessions {
  const { namespace, user } = viewer
  return {
    prefix: namespace === null ? null : `${namespace}:`,
    // A user's token always has its user; without one it would see nothing.
    participant: seesAllSessions(viewer) ? null : (user?.name ?? ''),
  }
}

/** The condition on sessions. `{}` means all of them. */
export function visibleSessions(viewer: Viewer): Prisma.SessionWhereInput {
  const { prefix, participant } = seenSessions(viewer)
  return {
    ...(prefix === null ? {} : { id: { startsWith: likeLiteral(prefix) } }),
    ...(participant === null ? {} : { participants: { some: { userName: participant } } }),
  }
}

/** The condition for one session. */
export function visibleSession(viewer: Viewer, id: string): Prisma.SessionWhereInput {
  return { AND: [{ id: matchable(id) }, visibleSessions(viewer)] }
}

/**
 * The condition on sessions that may be shown in the execution at hand. One execution can serve many participants of a
 * session (a log view): what it shows beyond that session must not depend on who they are.
 */
export function shownSessions({
  viewer,
  grantedSessionId,
}: {
  readonly viewer: Viewer
  readonly grantedSessionId: string | null
}): Prisma.SessionWhereInput {
  return grantedSessionId === null || seesAllSessions(viewer) ? visibleSessions(viewer) : { id: grantedSessionId }
}

/** The condition for one question: one of all sessions is admins', and theirs in whose sessions it was put. */
export function visibleQuestion(viewer: Viewer, id: string): Prisma.QuestionWhereInput {
  if (viewer.role === 'ADMIN') return { id: matchable(id) }
  const session = visibleSessions(viewer)
  const isAsked = [{ sessionId: { not: null }, session }, { askings: { some: { session } } }]
  return { id: matchable(id), OR: isAsked }
}

/** The condition for one message, turn, plan, task or learning: its session must be visible. */
export function inVisibleSession(viewer: Viewer, id: string): { id: string; session: Prisma.SessionWhereInput } {
  return { id: matchable(id), session: visibleSessions(viewer) }
}
