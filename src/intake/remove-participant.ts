/** `removeParticipant`: a user leaves a session, by their own wish or an admin's. Called by the GraphQL door. */
import type { Viewer } from '../core/identity.ts'
import { invalidInput, type Refusal } from '../core/refusal.ts'
import type { ParticipantInput } from './add-participant.ts'
import type { IntakeContext } from './intake-context.ts'
import { participantIssues } from './participant-rule.ts'
import { refuseInput } from './refuse-input.ts'
import { applySessionChange, type SessionUpdated } from './session-change.ts'

/** Removing somebody who is not in changes nothing. What they sent stays, and so do their turns. */
export async function removeParticipant(
  context: IntakeContext,
  viewer: Viewer,
  { sessionId, user }: ParticipantInput,
): Promise<SessionUpdated | Refusal> {
  if (viewer.role !== 'ADMIN' && viewer.user?.name !== user) {
    return invalidInput(['user'], 'must be your own name: only an admin may remove somebody else')
  }
  const refusal = refuseInput(participantIssues(context.config.current(), ['user'], user))
  if (refusal !== null) return refusal
  return await applySessionChange(context, { viewer, sessionId, path: ['sessionId'] }, { leave: [user] })
}
