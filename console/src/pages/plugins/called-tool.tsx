/** A call that was made: what comes of it, live, with what it waits for, and how to stop it. */
import type { Entry } from '@factotum/client'
import { useSession } from '@factotum/client/react'
import { Link } from 'wouter'
import { useChange } from '../../data/use-change.ts'
import { CancelTurnDocument } from '../../generated/graphql.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Dialog } from '../../ui/controls/dialog.tsx'
import { Approvals } from '../session/approval/approvals.tsx'
import { ChildTurn } from '../session/turn/child-turn.ts'
import { TurnPanel } from '../session/turn/turn-panel.tsx'

/** What was called, and where it is to be seen. */
export interface ToolCall {
  readonly sessionId: string
  readonly turnId: string
}

interface CalledToolProps {
  readonly name: string
  readonly call: ToolCall
  readonly onAgain: () => void
  readonly onClose: () => void
}

export function CalledTool({ name, call: { sessionId, turnId: first }, onAgain, onClose }: CalledToolProps) {
  const turnId = useSession(sessionId, ({ entries }) => newestSince(entries, first))
  const isOver = useSession(sessionId, ({ turns }) => OVER.has(turns[turnId]?.status ?? ''))
  const isStopping = useSession(sessionId, ({ turns }) => turns[turnId]?.cancelRequested === true)
  const stopping = useChange(CancelTurnDocument, ({ cancelTurn }) => cancelTurn)
  const stop = (): void => void stopping.send({ input: { sessionId } })
  const actions = (
    <>
      <Link href={`/sessions/${encodeURIComponent(sessionId)}`} className="button button-quiet">
        Its session
      </Link>
      {!isOver && (
        <Button kind="danger" icon="stop" isBusy={stopping.isSending || isStopping} onClick={stop}>
          {isStopping ? 'Stopping' : 'Stop'}
        </Button>
      )}
      {isOver && (
        <Button icon="retry" onClick={onAgain}>
          Call it again
        </Button>
      )}
      <Button kind="main" onClick={onClose}>
        Close
      </Button>
    </>
  )
  return (
    <Dialog title={`The call of ${name}`} isWide isOpen onClose={onClose} actions={actions}>
      <Approvals id={sessionId} />
      <ChildTurn value={TurnPanel}>
        <TurnPanel id={sessionId} turnId={turnId} />
      </ChildTurn>
    </Dialog>
  )
}

/** Tried again, the call has a turn of its own. */
function newestSince(entries: readonly Entry[], turnId: string): string {
  const isThere = entries.some((entry) => entry.turnId === turnId)
  return (isThere ? entries.findLast((entry) => entry.turnId !== null)?.turnId : null) ?? turnId
}

const OVER: ReadonlySet<string> = new Set(['DONE', 'FAILED', 'CANCELLED'])
