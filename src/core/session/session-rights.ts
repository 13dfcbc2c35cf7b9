/**
 * Who may do what to a session, as one table; docs/security.md shows it to people. It is about sessions that the caller
 * may see: any other one is answered as if it did not exist, whatever is tried. Whether the caller opened the session
 * is known to its row alone, so the statement that acts asks for it (src/store/intake/intake-access.ts).
 */
import type { Viewer } from '../identity.ts'

/** What a caller is to a session. OPENER, OPENING_CONNECTOR: the user, or the connector's token, that opened it. */
export const STANDINGS = ['ADMIN', 'OPENER', 'PARTICIPANT', 'OPENING_CONNECTOR', 'CONNECTOR'] as const
export type Standing = (typeof STANDINGS)[number]

const OPENERS: readonly Standing[] = ['ADMIN', 'OPENER', 'OPENING_CONNECTOR']
const PEOPLE: readonly Standing[] = ['ADMIN', 'OPENER', 'PARTICIPANT']

export const SESSION_RIGHTS = {
  /** `sendMessage`, and `openSession` as far as it only takes a session up again. */
  SEND: STANDINGS,
  /** `appendMessage` in the name of a user. */
  APPEND: STANDINGS,
  /** `appendMessage` as the assistant or the system: who reads it believes it. */
  APPEND_AS_AGENT: ['ADMIN', 'OPENING_CONNECTOR'],
  /** Description, webhook, metadata, busy policy, model, instructions, hidden from lists or not. */
  UPDATE: OPENERS,
  DELETE: OPENERS,
  ADD_PARTICIPANT: [...OPENERS, 'PARTICIPANT'],
  /** `removeParticipant` of oneself. */
  LEAVE: PEOPLE,
  /** `removeParticipant` of another user: a connector knows who has left its channel. */
  REMOVE_PARTICIPANT: ['ADMIN', 'OPENING_CONNECTOR'],
  CANCEL_TURN: [...OPENERS, 'PARTICIPANT'],
  /** `checkpointSession`, and leaving a session for a fresh one. */
  CHECKPOINT: [...OPENERS, 'PARTICIPANT'],
  ERASE_USER: ['ADMIN'],
} as const satisfies Record<string, readonly Standing[]>

export type SessionAct = keyof typeof SESSION_RIGHTS

/** `IF_OPENED`: only in sessions that the caller opened. */
export type Right = 'ALWAYS' | 'IF_OPENED' | 'NEVER'

export function rightTo(act: SessionAct, { role, tokenKind }: Pick<Viewer, 'role' | 'tokenKind'>): Right {
  const allowed: readonly Standing[] = SESSION_RIGHTS[act]
  const [plain, opener]: readonly [Standing, Standing] =
    role === 'ADMIN'
      ? ['ADMIN', 'ADMIN']
      : tokenKind === 'CONNECTOR'
        ? ['CONNECTOR', 'OPENING_CONNECTOR']
        : ['PARTICIPANT', 'OPENER']
  if (allowed.includes(plain)) return 'ALWAYS'
  return allowed.includes(opener) ? 'IF_OPENED' : 'NEVER'
}
