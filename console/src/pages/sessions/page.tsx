/** All sessions that the viewer may see, newest activity first. */
import { usePages } from '../../data/use-read.ts'
import { SessionsDocument } from '../../generated/graphql.ts'
import { VirtualList } from '../../ui/display/virtual-list.tsx'

export default function SessionsPage() {
  const { rows } = usePages(SessionsDocument, { first: 50 }, ({ sessions }) => sessions)
  return (
    <div className="page">
      <header className="page-head">
        <h1>Sessions</h1>
      </header>
      <div className="page-body">
        <VirtualList label="Sessions" rows={rows} keyOf={({ id }) => id}>
          {({ id }) => <span>{id}</span>}
        </VirtualList>
      </div>
    </div>
  )
}
