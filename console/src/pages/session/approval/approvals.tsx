/** What the turn waits for, in its place: above the composer. */
import { useSession } from '@factotum/client/react'
import { ApprovalCard } from './approval-card.tsx'
import './approval.css'

export function Approvals({ id }: { readonly id: string }) {
  const approvals = useSession(id, (state) => state.approvals)
  if (approvals.length === 0) return null
  return (
    <div className="above-composer approvals" role="region" aria-label="Approvals">
      {approvals.map((approval, index) => (
        <ApprovalCard key={approval.id} id={approval.id} hasKeys={index === 0} />
      ))}
    </div>
  )
}
