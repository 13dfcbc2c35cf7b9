/** What waits for a decision, and what was decided. */
import { useState } from 'react'
import { Tabs } from '../../ui/controls/tabs.tsx'
import { DecidedList } from './decided-list.tsx'
import { WaitingList } from './waiting-list.tsx'
import './approvals.css'
import '../../ui/picking/picking.css'

export default function ApprovalsPage() {
  const [tab, setTab] = useState('waiting')
  return (
    <div className="page">
      <header className="page-head">
        <h1>Approvals</h1>
      </header>
      <div className="page-lists">
        <Tabs
          label="Approvals"
          value={tab}
          onChange={setTab}
          tabs={[
            { id: 'waiting', label: 'Waiting', content: <WaitingList /> },
            { id: 'decided', label: 'Decided', content: <DecidedList /> },
          ]}
        />
      </div>
    </div>
  )
}
