/** What waits for a decision, and what was decided. */
import { useLocation } from 'wouter'
import { goTo } from '../../app/hash-location.ts'
import { queryClient } from '../../data/query-client.ts'
import { keyOf } from '../../data/use-read.ts'
import { useUpdates } from '../../data/use-updates.ts'
import { ApprovalUpdatesDocument, DecidedApprovalsDocument, WaitingApprovalsDocument } from '../../generated/graphql.ts'
import { Tabs } from '../../ui/controls/tabs.tsx'
import { DecidedList } from './decided-list.tsx'
import { WaitingList } from './waiting-list.tsx'
import './approvals.css'
import '../../ui/picking/picking.css'

export default function ApprovalsPage() {
  const [path] = useLocation()
  const tab = path.startsWith('/approvals/decided') ? 'decided' : 'waiting'
  useUpdates(ApprovalUpdatesDocument, {}, () => {
    for (const read of [WaitingApprovalsDocument, DecidedApprovalsDocument])
      void queryClient.invalidateQueries({ queryKey: keyOf(read) })
  })
  return (
    <div className="page">
      <header className="page-head">
        <h1>Approvals</h1>
      </header>
      <div className="page-lists">
        <Tabs
          label="Approvals"
          value={tab}
          onChange={(next) => goTo(next === 'decided' ? '/approvals/decided' : '/approvals')}
          tabs={[
            { id: 'waiting', label: 'Waiting', content: <WaitingList /> },
            { id: 'decided', label: 'Decided', content: <DecidedList /> },
          ]}
        />
      </div>
    </div>
  )
}
