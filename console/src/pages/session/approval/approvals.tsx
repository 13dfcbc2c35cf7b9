/** What the turn waits for, in its place: above the composer. */
import type { SessionState } from '@factotum/client'
import { useSession } from '@factotum/client/react'
import { queryClient } from '../../../data/query-client.ts'
import { keyOf, useRead } from '../../../data/use-read.ts'
import { useUpdates } from '../../../data/use-updates.ts'
import { ApprovalsBelowDocument, ApprovalUpdatesDocument } from '../../../generated/graphql.ts'
import { countOf } from '../../../ui/display/time-text.ts'
import { ApprovalCard } from './approval-card.tsx'
import './approval.css'

export function Approvals({ id }: { readonly id: string }) {
  const approvals = useSession(id, (state) => state.approvals)
  const enabled = useSession(id, delegates)
  const { data } = useRead(ApprovalsBelowDocument, { id }, { enabled })
  // What is asked in the sessions of delegated tasks is no event of this one.
  useUpdates(ApprovalUpdatesDocument, enabled ? {} : null, () => {
    void queryClient.invalidateQueries({ queryKey: keyOf(ApprovalsBelowDocument, { id }) })
  })
  const own = approvals.map((approval) => approval.id)
  const below = enabled ? (data?.session?.approvals ?? []).map((approval) => approval.id).toReversed() : []
  const ids = [...new Set([...own, ...below])]
  return (
    <>
      {/* What comes into a region is read out, a region that comes is not. */}
      <div className="unseen" aria-live="polite">
        {ids.length > 0 && `${countOf(ids.length, 'approval')} needed`}
      </div>
      {ids.length > 0 && (
        <div className="above-composer approvals" role="region" aria-label="Approvals">
          {ids.map((each, index) => (
            <ApprovalCard key={each} id={each} hasKeys={index === 0} />
          ))}
        </div>
      )}
    </>
  )
}

/** A task runs that was delegated. */
function delegates({ isBusy, turn }: SessionState): boolean {
  const tasks = turn?.plan?.tasks ?? []
  return isBusy && tasks.some(({ tool, status }) => tool === 'delegation__delegate' && status === 'RUNNING')
}
