/** Why the turn waits, where the conversation is read: on a phone the turn itself is elsewhere. */
import type { SessionState } from '@factotum/client'
import { useSession } from '@factotum/client/react'
import { useState } from 'react'
import { ASKS_BELOW } from '../../../../../src/core/tool/delegated.ts'

export function Paused({ id }: { readonly id: string }) {
  const { turnId, reason, isForApproval } = useSession(id, pauseOf)
  return (
    <>
      {reason !== null && !isForApproval && (
        <div className="above-composer" role="region" aria-label="Why it waits">
          <p className="turn-note turn-note-warn small foreign">{reason}</p>
        </div>
      )}
      <ReadOut turnId={turnId} reason={reason} />
    </>
  )
}

interface Pause {
  readonly turnId: string | null
  readonly reason: string | null
}

/** Always there, since only what comes into a region is read out; once, however often the turn tries to go on. */
function ReadOut({ turnId, reason }: Pause) {
  const [last, setLast] = useState<Pause>({ turnId, reason: null })
  if (turnId !== last.turnId || (reason !== null && reason !== last.reason)) setLast({ turnId, reason })
  return (
    <div className="unseen" role="status">
      {last.reason}
    </div>
  )
}

/** Of a turn that waits for approvals their cards show more. */
function pauseOf({ isBusy, turn }: SessionState): Pause & { readonly isForApproval: boolean } {
  const reason = isBusy ? (turn?.pausedReason ?? null) : null
  const isForApproval = turn?.status !== 'RUNNING'
  return { turnId: turn?.id ?? null, reason: reason === null ? null : withoutIds(reason), isForApproval }
}

/** Which decisions delegated tasks wait for, their cards say, to those who are shown them. */
function withoutIds(reason: string): string {
  const [why = reason, ids] = reason.split(ASKS_BELOW)
  return ids === undefined ? reason : `${why}${ASKS_BELOW.replace(/:\s*$/, '.')}`
}
