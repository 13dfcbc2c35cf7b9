/** `cancelTurn`: asks the running turn of a session to end. Called by the GraphQL door. */
import type { Viewer } from '../../core/identity.ts'
import { conflict, notFound, type Refusal } from '../../core/refusal.ts'
import { requestCancel } from '../../store/intake/intake-cancel-turn.ts'
import { authorizeSession, refuseNotOpener } from '../authorize-session.ts'
import type { IntakeContext } from '../intake-context.ts'

/** The request is committed; the turn may still run for a moment. */
export interface TurnCancelling {
  readonly kind: 'Cancelling'
  readonly turnId: string
}

const ACTS = ['CANCEL_TURN'] as const

/** The turn's own events tell when it has ended. Repeating it changes nothing. */
export async function cancelTurn(
  context: IntakeContext,
  viewer: Viewer,
  { sessionId }: { readonly sessionId: string },
): Promise<TurnCancelling | Refusal> {
  const access = authorizeSession(viewer, { sessionId, path: ['sessionId'] }, ACTS)
  if ('kind' in access) return access
  const result = await requestCancel(context.database, access, sessionId)
  if (result.kind === 'NoSession') return notFound('session', sessionId)
  if (result.kind === 'NotOpener') return refuseNotOpener(sessionId, ACTS)
  if (result.kind === 'NothingRuns') {
    return conflict(
      'NOTHING_TO_DO',
      `No turn runs in session "${sessionId}". A message that still waits can be withdrawn.`,
      sessionId,
    )
  }
  context.doorbell.ring({ kind: 'cancel', sessionId, turnId: result.turnId })
  if (result.ready) context.doorbell.ring({ kind: 'work', sessionId })
  return { kind: 'Cancelling', turnId: result.turnId }
}
