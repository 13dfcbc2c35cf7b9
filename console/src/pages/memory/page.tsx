/** What was learned, what is known, what is proposed, and what is asked. */
import { useLocation } from 'wouter'
import { decodePart, goTo } from '../../app/hash-location.ts'
import { useViewer } from '../../data/use-viewer.ts'
import { Tabs } from '../../ui/controls/tabs.tsx'
import { Facts } from './facts/facts.tsx'
import { Inbox } from './inbox/inbox.tsx'
import { Proposals } from './proposals/proposals.tsx'
import { Questions } from './questions.tsx'
import './memory.css'
import '../../ui/picking/picking.css'

export default function MemoryPage() {
  const [path] = useLocation()
  const viewer = useViewer()
  const [, , tab = viewer.isAdmin ? 'inbox' : 'facts', id] = path.split('/')
  const shownId = id === undefined ? null : decodePart(id)
  const facts = { id: 'facts', label: 'Facts', content: <Facts shownId={shownId} /> }
  const proposals = { id: 'proposals', label: 'Proposals', content: <Proposals /> }
  const questions = { id: 'questions', label: 'Questions', content: <Questions /> }
  return (
    <div className="page">
      <header className="page-head">
        <h1>Memory</h1>
      </header>
      <div className="page-lists">
        <Tabs
          label="Memory"
          value={tab}
          onChange={(next) => goTo(`/memory/${next}`)}
          tabs={
            viewer.isAdmin
              ? [{ id: 'inbox', label: 'Inbox', content: <Inbox /> }, facts, proposals, questions]
              : [facts]
          }
        />
      </div>
    </div>
  )
}
