/** What was learned, what is known, and what is asked. */
import { useLocation } from 'wouter'
import { goTo } from '../../app/hash-location.ts'
import { Tabs } from '../../ui/controls/tabs.tsx'
import { Facts } from './facts.tsx'
import { Inbox } from './inbox.tsx'
import { Questions } from './questions.tsx'
import './memory.css'
import '../../ui/picking/picking.css'

export default function MemoryPage() {
  const [path] = useLocation()
  const [, , tab = 'inbox', id] = path.split('/')
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
          tabs={[
            { id: 'inbox', label: 'Inbox', content: <Inbox /> },
            {
              id: 'facts',
              label: 'Facts',
              content: <Facts shownId={id === undefined ? null : decodeURIComponent(id)} />,
            },
            { id: 'questions', label: 'Questions', content: <Questions /> },
          ]}
        />
      </div>
    </div>
  )
}
