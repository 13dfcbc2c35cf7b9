/**
 * `removeParticipant`: a user leaves a session, by their own wish, an admin's, or that of the connector that opened it.
 * Called by the GraphQL door.
 */
import type { Viewer } from '../../core/identity.ts'
import { invalidInput, type Refusal } from '../../core/refusal.ts'
import { rightTo } from '../../core/session/session-rights.ts'
import { isStorable } from '../../platform/well-formed.ts'
import type { ParticipantInput } from './add-participant.ts'
import type { IntakeContext } from '../intake-context.ts'
import { applySessionChange, type SessionUpdated } from './session-change.ts'

/**
 * Removing a user who does not participate changes nothing. What they sent stays. A turn of theirs that waits or runs
 * fails at its next task (src/turn/why-barred.ts), unless they are an admin. The name need not be in the configuration
 * any more: a later user of that name must not find the sessions of the one before.
 */
export async function removeParticipant(
  context: IntakeContext,
  viewer: Viewer,
  { sessionId, user }: ParticipantInput,
): Promise<SessionUpdated | Refusal> {
  const isOwn = viewer.user?.name === user
  if (!isOwn && rightTo('REMOVE_PARTICIPANT', viewer) === 'NEVER') {
    return invalidInput(
      ['user'],
      'must be your own name: only an admin may remove others, or the connector that opened the session',
    )
  }
  if (!isStorable(user)) return invalidInput(['user'], 'must be the name of a user')
  const acts = [isOwn ? 'LEAVE' : 'REMOVE_PARTICIPANT'] as const
  return await applySessionChange(context, { viewer, sessionId, path: ['sessionId'], acts }, { leave: [user] })
}
