/** Which models failed last, and what to change: for admins, who alone are told. */
import { useRead } from '../../data/use-read.ts'
import { ServerModelFailuresDocument } from '../../generated/graphql.ts'
import { Badge } from '../../ui/display/badge.tsx'
import { Time } from '../../ui/display/time.tsx'
import { ErrorLine } from '../../ui/feedback/error-line.tsx'
import { Pending } from '../../ui/feedback/pending.tsx'

const REFRESH_MS = 5000

export function ModelFailures() {
  const { data, error } = useRead(ServerModelFailuresDocument, {}, { everyMs: REFRESH_MS })
  if (error !== null && data === undefined) return <ErrorLine>{error.message}</ErrorLine>
  if (data === undefined) return <Pending what="the models" />
  const failures = data.server.modelFailures ?? []
  if (failures.length === 0) return <p className="soft">None.</p>
  return (
    <ul className="server-rows" aria-label="Failing models">
      {failures.map(({ provider, model, at, code, problem }) => (
        <li key={`${provider}:${model}`} className="server-row">
          <strong className="mono foreign server-row-what">{`${provider}:${model}`}</strong>
          <Badge tone="bad">{code}</Badge>
          <span className="soft">
            <Time at={at} />
          </span>
          <p className="server-row-more server-problem foreign">{problem}</p>
        </li>
      ))}
    </ul>
  )
}
