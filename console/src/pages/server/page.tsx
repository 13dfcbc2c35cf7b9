/** What the server runs on, how busy it is, and what of it needs a hand. Users see a part of it, admins all. */
import { useState } from 'react'
import { useLocation } from 'wouter'
import { goTo } from '../../app/hash-location.ts'
import { useRead } from '../../data/use-read.ts'
import { useUpdates } from '../../data/use-updates.ts'
import { useViewer } from '../../data/use-viewer.ts'
import { ServerPageDocument, ServerPageUpdatesDocument, type ServerStateFragment } from '../../generated/graphql.ts'
import { Tabs } from '../../ui/controls/tabs.tsx'
import { ErrorLine } from '../../ui/feedback/error-line.tsx'
import { Pending } from '../../ui/feedback/pending.tsx'
import { Configuration } from './configuration.tsx'
import { DeliveryList } from './delivery-list.tsx'
import { Models } from './models.tsx'
import { Overview } from './overview.tsx'
import './server.css'
import '../../ui/picking/picking.css'

export default function ServerPage() {
  const { isAdmin } = useViewer()
  const [path] = useLocation()
  const [, , tab = 'overview'] = path.split('/')
  const { data, error } = useRead(ServerPageDocument, {})
  const [newest, setNewest] = useState<ServerStateFragment | null>(null)
  useUpdates(ServerPageUpdatesDocument, {}, ({ serverUpdates }) => setNewest(serverUpdates))
  const server = newest ?? data?.server
  const forAdmins = [
    { id: 'deliveries', label: 'Deliveries', content: <DeliveryList /> },
    { id: 'configuration', label: 'Configuration', content: <Configuration /> },
  ]
  return (
    <div className="page">
      <header className="page-head">
        <h1>Server</h1>
      </header>
      {error !== null && server === undefined && <ErrorLine>{error.message}</ErrorLine>}
      {error === null && server === undefined && <Pending what="the server" />}
      {server !== undefined && (
        <div className="page-lists">
          <Tabs
            label="Server"
            value={tab}
            onChange={(next) => goTo(next === 'overview' ? '/server' : `/server/${next}`)}
            tabs={[
              { id: 'overview', label: 'Overview', content: <Overview server={server} /> },
              { id: 'models', label: 'Models', content: <Models models={server.models} /> },
              ...(isAdmin ? forAdmins : []),
            ]}
          />
        </div>
      )}
    </div>
  )
}
