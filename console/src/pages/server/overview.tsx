/** The server in a few figures, its sandbox, and the processes that share its database. */
import type { ReactNode } from 'react'
import { useRead } from '../../data/use-read.ts'
import { useViewer } from '../../data/use-viewer.ts'
import { ServerProcessesDocument, type ServerStateFragment } from '../../generated/graphql.ts'
import { Badge, Status } from '../../ui/display/badge.tsx'
import { Time } from '../../ui/display/time.tsx'
import { ErrorLine } from '../../ui/feedback/error-line.tsx'
import { Pending } from '../../ui/feedback/pending.tsx'
import { ModelFailures } from './model-failures.tsx'
import { Part } from './part.tsx'

export function Overview({ server }: { readonly server: ServerStateFragment }) {
  const { isAdmin } = useViewer()
  const { sandbox } = server
  return (
    <div className="server-parts">
      <dl className="server-figures">
        <Figure name="Running turns">{server.runningTurns}</Figure>
        <Figure name="Queued turns">{server.queuedTurns}</Figure>
        <Figure name="Processes">{server.nodes}</Figure>
        <Figure name="Started">
          <Time at={server.startedAt} />
        </Figure>
      </dl>
      <Part title="Build" about="The running version and its database.">
        <dl className="server-pairs">
          <dt>Version</dt>
          <dd>{server.version}</dd>
          <dt>Database</dt>
          <dd className="foreign">{server.database}</dd>
        </dl>
      </Part>
      <Part title="Sandbox" about="Commands of users run inside it; without one they do not run at all.">
        <Badge tone={sandbox.available ? 'good' : 'bad'}>
          <span className="badge-dot" aria-hidden="true" />
          {sandbox.available ? 'works' : 'does not work'}
        </Badge>
        {sandbox.reason !== null && <p className="foreign">{sandbox.reason}</p>}
        {sandbox.fix !== null && <p className="server-fix foreign">{sandbox.fix}</p>}
        {!sandbox.available && !isAdmin && <p className="soft">An admin can see why, and how to mend it.</p>}
      </Part>
      {isAdmin && (
        <Part title="Failing models" about="Models whose last call failed, as this process has seen it.">
          <ModelFailures />
        </Part>
      )}
      {isAdmin && (
        <Part title="Processes" about="They share the database; any of them runs any session.">
          <Processes />
        </Part>
      )}
    </div>
  )
}

function Figure({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

const TONES = { ALIVE: 'good', SILENT: 'warn', EVICTED: 'bad' } as const
const REFRESH_MS = 5000

function Processes() {
  const { data, error } = useRead(ServerProcessesDocument, {}, { everyMs: REFRESH_MS })
  if (error !== null && data === undefined) return <ErrorLine>{error.message}</ErrorLine>
  if (data === undefined) return <Pending what="the processes" />
  return (
    <div className="server-wide" role="region" aria-label="Processes" tabIndex={0}>
      <table className="server-table">
        <thead>
          <tr>
            <th scope="col">Process</th>
            <th scope="col">State</th>
            <th scope="col">Version</th>
            <th scope="col">Started</th>
            <th scope="col">Last sign of life</th>
            <th scope="col" className="server-number">
              Sessions
            </th>
            <th scope="col" className="server-number">
              Turns
            </th>
          </tr>
        </thead>
        <tbody>
          {(data.nodes ?? []).map((node) => (
            <tr key={node.nodeId}>
              <td className="foreign">
                {node.host ?? 'unknown host'} <span className="faint">#{node.nodeId}</span>
              </td>
              <td>
                <Status status={node.status} tone={TONES[node.status]} />
              </td>
              <td>{node.version ?? 'older'}</td>
              <td>
                <Time at={node.startedAt} />
              </td>
              <td>
                <Time at={node.lastBeatAt} />
              </td>
              <td className="server-number">{node.sessions}</td>
              <td className="server-number">{node.runningTurns}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
