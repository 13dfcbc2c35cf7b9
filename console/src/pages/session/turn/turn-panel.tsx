/** The turn that is chosen, or else the newest one: what the agent did, as a tree. */
import { useSession, useSessionStore } from '@factotum/client/react'
import { useEffect } from 'react'
import { EmptyState } from '../../../ui/feedback/empty-state.tsx'
import { Pending } from '../../../ui/feedback/pending.tsx'
import { TurnTree } from './turn-tree.tsx'

export function TurnPanel({ id, turnId }: { readonly id: string; readonly turnId: string | null }) {
  const store = useSessionStore(id)
  const { turn, status } = useSession(id, (state) => ({
    turn: turnId === null ? state.turn : (state.turns[turnId] ?? null),
    status: state.status,
  }))
  const newestId = useSession(id, ({ entries }) => entries.findLast((entry) => entry.turnId !== null)?.turnId ?? null)
  const wanted = turnId ?? (turn === null ? newestId : null)
  const read = useSession(id, ({ turns }) => (wanted === null ? null : (turns[wanted] ?? null)))
  const shown = turn ?? read
  // Also when the page was read anew, which forgets turns that are not on it.
  const isMissing = wanted !== null && shown === null
  const isReady = status === 'ready'
  useEffect(() => {
    // Without an answer the panel stays as it is; the line of trouble says why.
    if (isMissing && isReady) void store.loadTurn(wanted).catch(() => {})
  }, [store, wanted, isMissing, isReady])
  if (shown !== null) return <TurnTree sessionId={id} turn={shown} />
  if (wanted !== null || status === 'loading') return <Pending what="the turn" />
  return (
    <EmptyState icon="play" title="Nothing was done yet">
      When a message starts a turn, its plan and tasks are here, live: commands with their output, reviews, calls and
      files.
    </EmptyState>
  )
}
