/**
 * Which sessions a viewer may see: the one rule behind every query. Everything else hangs on a session, so a field that starts
 * from a session the viewer may see can never lead out of it.
 *
 *   admin                        every session
 *   connector with a namespace   those whose id starts with "<namespace>:"
 *   connector without one        every session
 *   user                         those in which they participate
 *
 * What a viewer may not see looks absent: the same null, the same NOT_FOUND, from the same statement.
 */
import { seesAllSessions } from '../../config/session-access.ts'
import type { Viewer } from '../../core/identity.ts'
import type { Prisma } from '../../generated/prisma/client.ts'
import { likeLiteral } from './like-literal.ts'
import { matchable } from './matchable.ts'

/** The condition on sessions. `{}` means all of them. The same rule as in src/config/session-access.ts, for Prisma. */
export function visibleSessions(viewer: Viewer): Prisma.SessionWhereInput {
  const { namespace } = viewer
  return {
    ...(namespace === null ? {} : { id: { startsWith: likeLiteral(`${namespace}:`) } }),
    // A user's token always has its user; without one it would see nothing.
    ...(seesAllSessions(viewer) ? {} : { participants: { some: { userName: viewer.user?.name ?? '' } } }),
  }
}

/** The condition for one session. */
export function visibleSession(viewer: Viewer, id: string): Prisma.SessionWhereInput {
  return { AND: [{ id: matchable(id) }, visibleSessions(viewer)] }
}

/** The condition for one message, turn, plan or task: its session must be visible. */
export function inVisibleSession(viewer: Viewer, id: string): { id: string; session: Prisma.SessionWhereInput } {
  return { id: matchable(id), session: visibleSessions(viewer) }
}
