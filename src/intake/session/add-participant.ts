/** `addParticipant`: a user may see and post in a session from now on. Who may add: core/session/session-rights.ts. */
import type { Viewer } from '../../core/identity.ts'
import { refuseInput, type Refusal } from '../../core/refusal.ts'
import type { IntakeContext } from '../intake-context.ts'
import { participantIssues } from './participant-rule.ts'
import { applySessionChange, type SessionUpdated } from './session-change.ts'

/** Who is to join which session. */
export interface ParticipantInput {
  readonly sessionId: string
  /** The name of a user. */
  readonly user: string
}

/** Adding a user who participates already changes nothing. */
export async function addParticipant(
  context: IntakeContext,
  viewer: Viewer,
  { sessionId, user }: ParticipantInput,
): Promise<SessionUpdated | Refusal> {
  const refusal = refuseInput(participantIssues(context.config.current(), ['user'], user))
  if (refusal !== null) return refusal
  return await applySessionChange(
    context,
    { viewer, sessionId, path: ['sessionId'], acts: ['ADD_PARTICIPANT'] },
    { join: [user] },
  )
}
