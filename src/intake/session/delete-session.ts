/**
 * `deleteSession`: removes a session of one person, without work, with its rows and its files. Called by the GraphQL
 * door.
 */
import type { Viewer } from '../../core/identity.ts'
import type { SessionStatus } from '../../core/status.ts'
import { conflict, notFound, type Refusal } from '../../core/refusal.ts'
import { deleteIdleSession } from '../../store/intake/intake-delete-session.ts'
import { authorizeSession, refuseNotOpener } from '../authorize-session.ts'
import type { IntakeContext } from '../intake-context.ts'

/** The session's rows are gone, and its id is free. */
export interface SessionDeleted {
  readonly kind: 'Deleted'
  readonly sessionId: string
}

const ACTS = ['DELETE'] as const

/**
 * Rows and workspace go in one step: a refusal costs nothing, and a session that is opened under this id at once finds
 * nothing of this one. The rest follows; what it does not come to, because the process dies or the disk fails, a sweep
 * does. Throws in the latter case.
 */
export async function deleteSession(
  context: IntakeContext,
  viewer: Viewer,
  { id: sessionId }: { readonly id: string },
): Promise<SessionDeleted | Refusal> {
  const access = authorizeSession(viewer, { sessionId, path: ['id'] }, ACTS)
  if ('kind' in access) return access
  const { found, workspace } = await context.database.transaction(async (transaction) => {
    const found = await deleteIdleSession(transaction, access, sessionId)
    return { found, workspace: found?.deleted === true ? await context.setAsideWorkspace(sessionId) : null }
  })
  if (found === null) return notFound('session', sessionId)
  if (!found.mayDelete) return refuseNotOpener(sessionId, ACTS)
  if (found.type === 'GROUP') {
    return conflict(
      'WRONG_TYPE',
      `Session "${sessionId}" is a group's, and those are kept. Hide it with updateSession(inactive: true), or leave it.`,
      sessionId,
    )
  }
  if (!found.deleted) {
    const work = WORK[found.status] ?? `messages wait: ${found.queueLength}`
    return conflict(
      'BUSY',
      `Session "${sessionId}" still has work (${work}). Wait for it, or cancel and withdraw it first.`,
      sessionId,
    )
  }
  const { fileIds, approvalIds } = found
  context.doorbell.ring({ kind: 'gone', sessionId })
  await context.removeRemains({ sessionId, workspace, fileIds, approvalIds })
  return { kind: 'Deleted', sessionId }
}

const WORK: Readonly<Partial<Record<SessionStatus, string>>> = {
  RUNNING: 'a turn runs',
  AWAITING_APPROVAL: 'a turn awaits an approval',
}
