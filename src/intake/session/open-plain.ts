/**
 * Opens a session that is not there yet, as a message to it does: without any settings. Called by appendMessage, and
 * for a file that comes first; what is sent opens its session in the statement that stores it.
 */
import { openerQuota } from '../../config/schema/quotas.ts'
import type { Viewer } from '../../core/identity.ts'
import type { Refusal } from '../../core/refusal.ts'
import type { SessionAccess } from '../../store/intake/intake-access.ts'
import { createSession } from '../../store/intake/intake-session.ts'
import type { IntakeContext } from '../intake-context.ts'
import { newSession } from './open-session.ts'
import { announceSessionUpdate } from './session-change.ts'
import { tooManySessions } from './too-many-sessions.ts'

/** Null: it is there now. The caller may open it (config/access/session-access.ts). */
export async function openPlain(
  context: IntakeContext,
  viewer: Viewer,
  { sessionId, access }: { readonly sessionId: string; readonly access: SessionAccess },
): Promise<Refusal | null> {
  const { opener } = access
  const { sessions: maxSessions } = openerQuota(context.config.current(), opener)
  const session = newSession(context, viewer, { id: sessionId })
  const created = await createSession(context.database, { actor: access, session, maxSessions })
  if (created.kind === 'NoQuota') return tooManySessions(context, { opener, maxSessions })
  if (created.kind === 'Created') announceSessionUpdate(context, { sessionId, seq: created.seq, at: session.at })
  return null
}
