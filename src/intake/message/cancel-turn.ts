/** `cancelTurn`: asks the running turn of a session to end. Called by the GraphQL door. */
import { actFor } from '../../config/access/act-for.ts'
import type { Viewer } from '../../core/identity.ts'
import { conflict, notFound, type Refusal } from '../../core/refusal.ts'
import { idKind } from '../../platform/id.ts'
import { requestCancel } from '../../store/intake/intake-cancel-turn.ts'
import { authorizeSession, refuseNotOpener } from '../authorize-session.ts'
import type { IntakeContext } from '../intake-context.ts'

/** The request is committed; the turn may still run for a moment. */
export interface TurnCancelling {
  readonly kind: 'Cancelling'
  readonly turnId: string
}

/** What is to end, unchecked. */
export interface CancelTurnInput {
  readonly sessionId: string
  /** Which is meant, when another may run by now. */
  readonly turnId?: string | null | undefined
  /** Of a connector: for whom. */
  readonly user?: string | null | undefined
}

const ACTS = ['CANCEL_TURN'] as const

/** The turn's own events tell when it has ended. Repeating it changes nothing. */
export async function cancelTurn(
  context: IntakeContext,
  caller: Viewer,
  { sessionId, turnId = null, user }: CancelTurnInput,
): Promise<TurnCancelling | Refusal> {
  const viewer = actFor(context.config.current(), caller, user)
  if ('kind' in viewer) return viewer
  const access = authorizeSession(viewer, { sessionId, path: ['sessionId'] }, ACTS)
  if ('kind' in access) return access
  if (turnId !== null && idKind(turnId) !== 'turn') return notFound('turn', turnId)
  const result = await requestCancel(context.database, access, { sessionId, turnId })
  if (result.kind === 'NoSession') return notFound('session', sessionId)
  if (result.kind === 'NotOpener') return refuseNotOpener(sessionId, ACTS)
  if (result.kind === 'NothingRuns') {
    const what = turnId === null ? 'No turn runs' : 'That turn does not run'
    const problem = `${what} in session "${sessionId}". A message that still waits can be withdrawn.`
    return conflict('NOTHING_TO_DO', problem, sessionId)
  }
  context.doorbell.ring({ kind: 'cancel', sessionId, turnId: result.turnId })
  if (result.ready) context.doorbell.ring({ kind: 'work', sessionId })
  return { kind: 'Cancelling', turnId: result.turnId }
}
