/** Why the turn waits, where the conversation is read: on a phone the turn itself is elsewhere. */
import type { SessionState } from '@factotum/client'
import { useSession } from '@factotum/client/react'
import { ASKS_BELOW } from '../../../../../src/core/tool/delegated.ts'

export function Paused({ id }: { readonly id: string }) {
  const reason = useSession(id, pausedReason)
  if (reason === null) return null
  return (
    <div className="above-composer" role="region" aria-label="Why it waits">
      <p className="turn-note turn-note-warn small foreign">{withoutIds(reason)}</p>
    </div>
  )
}

/** Of a turn that waits for approvals their cards say more. */
function pausedReason({ isBusy, turn }: SessionState): string | null {
  return isBusy && turn?.status === 'RUNNING' ? (turn.pausedReason ?? null) : null
}

/** Which decisions delegated tasks wait for, their cards say, to those who are shown them. */
function withoutIds(reason: string): string {
  const [why = reason, ids] = reason.split(ASKS_BELOW)
  return ids === undefined ? reason : `${why}${ASKS_BELOW.replace(/:\s*$/, '.')}`
}
