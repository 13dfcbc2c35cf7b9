/**
 * The way in which the use cases that change a session do it: authorise, commit, announce, and say what stood against
 * it.
 */
import type { Viewer } from '../../core/identity.ts'
import { conflict, invalidInput, notFound, type Refusal } from '../../core/refusal.ts'
import { changeSession, type ChangeResult, type SettingsChange } from '../../store/intake/intake-session.ts'
import type { SessionAct } from '../../core/session/session-rights.ts'
import { authorizeSession, refuseNotOpener, type NamedSession } from '../authorize-session.ts'
import type { IntakeContext } from '../intake-context.ts'
import { MAX_METADATA_BYTES, METADATA_TOO_LARGE } from './session-metadata.ts'

/** The session is as the caller wants it, whether or not anything had to be changed for that. */
export interface SessionUpdated {
  readonly kind: 'Updated'
  readonly sessionId: string
}

interface ChangeTarget extends NamedSession {
  readonly viewer: Viewer
  /** What the change comes to. */
  readonly acts: readonly SessionAct[]
}

const NO_CHANGE = {
  setMetadata: '{}',
  dropMetadata: [],
  maxMetadataBytes: MAX_METADATA_BYTES,
  join: [],
  leave: [],
} as const

/** Applies `change` to a session that exists. Changing nothing is no error and makes no event. */
export async function applySessionChange(
  context: IntakeContext,
  target: ChangeTarget,
  change: Partial<Omit<SettingsChange, 'at'>>,
): Promise<SessionUpdated | Refusal> {
  const { viewer, sessionId, acts } = target
  const access = authorizeSession(viewer, target, acts)
  if ('kind' in access) return access
  const at = context.clock.now()
  const result = await changeSession(context.database, { sessionId, access }, { ...NO_CHANGE, ...change, at })
  if (result.kind === 'Changed') announceSessionUpdate(context, { sessionId, seq: result.seq, at })
  return answer(target, result)
}

/** Publishes the SessionUpdated event of a change that is committed. */
export function announceSessionUpdate(
  context: IntakeContext,
  event: { readonly sessionId: string; readonly seq: number; readonly at: Date },
): void {
  context.feed.published([{ type: 'SessionUpdated', turnId: null, ...event }])
}

function answer({ sessionId, acts }: ChangeTarget, result: ChangeResult): SessionUpdated | Refusal {
  if (result.kind === 'NoSession') return notFound('session', sessionId)
  if (result.kind === 'NotOpener') return refuseNotOpener(sessionId, acts)
  if (result.kind === 'MetadataTooLarge') return invalidInput(['metadata'], METADATA_TOO_LARGE)
  if (result.kind === 'OtherType') {
    return conflict(
      'WRONG_TYPE',
      `Session "${sessionId}" has another type, and keeps it; a message or a file opens one as DIRECT. Leave out ` +
        '"source.type" to take it up as it is, or open one with another id before anything is sent.',
      sessionId,
    )
  }
  if (result.kind === 'Busy') {
    return conflict(
      'BUSY',
      `Session "${sessionId}" has a turn that runs or waits. Make it inactive when that is done, or cancel it first.`,
      sessionId,
    )
  }
  return { kind: 'Updated', sessionId }
}
