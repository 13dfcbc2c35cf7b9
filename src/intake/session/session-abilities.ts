/**
 * What a caller may do to sessions that they see, asked without doing it: for the buttons of a page. The rights and
 * states are those of the mutations, from the same functions and the same pieces of SQL; a session can change before
 * the button is pressed, so the mutation decides again.
 */
import type { Viewer } from '../../core/identity.ts'
import type { SessionAct } from '../../core/session/session-rights.ts'
import { readStandings, type SessionStanding } from '../../store/intake/session-standing.ts'
import { accessOf, authorizeSession } from '../authorize-session.ts'
import type { IntakeContext } from '../intake-context.ts'

/** Each is named as the mutation that it is about. */
export interface SessionAbilities {
  readonly send: boolean
  readonly update: boolean
  /** `updateSession(inactive: true)`. */
  readonly hide: boolean
  readonly delete: boolean
  readonly addParticipant: boolean
  /** Of others. */
  readonly removeParticipant: boolean
  /** `removeParticipant` of oneself. */
  readonly leave: boolean
  readonly checkpoint: boolean
  /** The turn that the caller may cancel now; null: none. */
  readonly cancellableTurnId: string | null
}

/** Of those of the sessions that are there; that the caller sees them has been checked. */
export async function sessionAbilities(
  { database }: Pick<IntakeContext, 'database'>,
  viewer: Viewer,
  sessionIds: readonly string[],
): Promise<Map<string, SessionAbilities>> {
  const standings = await readStandings(database, accessOf(viewer), sessionIds)
  return new Map(standings.map((standing) => [standing.id, abilitiesOf(viewer, standing)]))
}

function abilitiesOf(viewer: Viewer, standing: SessionStanding): SessionAbilities {
  const may = (act: SessionAct): boolean => {
    const access = authorizeSession(viewer, { sessionId: standing.id, path: ['id'] }, [act])
    return !('kind' in access) && (standing.isOpener || !access.mustHaveOpened)
  }
  return {
    send: may('SEND'),
    update: may('UPDATE'),
    hide: may('UPDATE') && !standing.hasWork,
    delete: may('DELETE') && standing.isDeletable,
    addParticipant: may('ADD_PARTICIPANT'),
    removeParticipant: may('REMOVE_PARTICIPANT'),
    leave: viewer.user !== null && may('LEAVE'),
    checkpoint: may('CHECKPOINT') && standing.hasCheckpoint,
    cancellableTurnId: may('CANCEL_TURN') ? standing.cancellableTurnId : null,
  }
}
