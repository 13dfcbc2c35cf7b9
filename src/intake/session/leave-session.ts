/**
 * A client leaves a session for a fresh one: what was said there is gone over, and lists show it no longer. Called by
 * openSession, before it opens the other.
 */
import type { Viewer } from '../../core/identity.ts'
import { invalidInput, notFound, type Refusal } from '../../core/refusal.ts'
import { requestCheckpoint } from '../../store/knowledge/checkpoints.ts'
import { authorizeSession, refuseNotOpener } from '../authorize-session.ts'
import { applySessionChange } from './session-change.ts'
import type { IntakeContext } from '../intake-context.ts'

const ACTS = ['CHECKPOINT'] as const

/** Null: done, or there was nothing to do. Repeating it changes nothing. */
export async function leaveSession(
  context: IntakeContext,
  viewer: Viewer,
  { from, to }: { readonly from: string | null | undefined; readonly to: string },
): Promise<Refusal | null> {
  if (from == null) return null
  const path = ['previousSessionId']
  if (from === to) return invalidInput(path, 'must be another session than the one to open')
  const access = authorizeSession(viewer, { sessionId: from, path }, ACTS)
  if ('kind' in access) return access
  const { kind } = await requestCheckpoint(context.database, access, { sessionId: from, reason: 'NEW_SESSION' })
  if (kind === 'Due') context.wakeCheckpoints()
  if (kind === 'NotOpener') return refuseNotOpener(from, ACTS)
  if (kind === 'NoSession') return notFound('session', from)
  return null
}

/** Once the other is open. One that still works stays as it is: only a session without work can be hidden. */
export async function hideLeftSession(context: IntakeContext, viewer: Viewer, from: string): Promise<void> {
  const left = { viewer, sessionId: from, path: ['previousSessionId'], acts: ACTS }
  await applySessionChange(context, left, { inactive: true })
}
