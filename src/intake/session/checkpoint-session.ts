/** `checkpointSession`: a caller wants a checkpoint of a session now. Called by the GraphQL door. */
import type { Viewer } from '../../core/identity.ts'
import { conflict, notFound, type Refusal } from '../../core/refusal.ts'
import { requestCheckpoint } from '../../store/knowledge/checkpoints.ts'
import { authorizeSession, refuseNotOpener } from '../authorize-session.ts'
import type { IntakeContext } from '../intake-context.ts'

/** A checkpoint is due; it has not been made yet. */
export interface CheckpointRequested {
  readonly kind: 'Requested'
  readonly sessionId: string
}

const ACTS = ['CHECKPOINT'] as const

/** It is made beside the session's turns; its CheckpointEvent tells how it ended. */
export async function checkpointSession(
  context: IntakeContext,
  viewer: Viewer,
  { sessionId }: { readonly sessionId: string },
): Promise<CheckpointRequested | Refusal> {
  const access = authorizeSession(viewer, { sessionId, path: ['sessionId'] }, ACTS)
  if ('kind' in access) return access
  const { kind } = await requestCheckpoint(context.database, access, { sessionId, reason: 'MANUAL' })
  if (kind === 'NoSession') return notFound('session', sessionId)
  if (kind === 'NotOpener') return refuseNotOpener(sessionId, ACTS)
  if (kind === 'Running') {
    return conflict(
      'BUSY',
      `A checkpoint of session "${sessionId}" is being made. Its CheckpointEvent tells when it has ended.`,
      sessionId,
    )
  }
  if (kind === 'NothingNew') {
    return conflict(
      'NOTHING_TO_DO',
      `Nothing was said in session "${sessionId}" since its last checkpoint, or it is still being worked on: there is nothing to go over.`,
      sessionId,
    )
  }
  context.wakeCheckpoints()
  return { kind: 'Requested', sessionId }
}
