/** One entry; what else it says opens below it. */
import { useState } from 'react'
import { Link } from 'wouter'
import type { AuditRowFragment } from '../../generated/graphql.ts'
import { Badge } from '../../ui/display/badge.tsx'
import { CopyId } from '../../ui/display/copy-id.tsx'
import { Time } from '../../ui/display/time.tsx'
import { fieldsOf, summaryOf } from './summary-of.ts'

export function AuditEntryRow({ entry }: { readonly entry: AuditRowFragment }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <article className="pick-row">
      <div className="audit-entry">
        <span className="audit-kind">
          <Badge tone={entry.kind === 'ACCESS_DENIED' ? 'bad' : 'plain'}>
            {entry.kind.toLowerCase().replaceAll('_', ' ')}
          </Badge>
        </span>
        <strong className="cut foreign">{entry.actor.name}</strong>
        <span className="faint small audit-time">
          <Time at={entry.at} />
        </span>
        <button
          type="button"
          className="audit-summary foreign"
          aria-expanded={isOpen}
          onClick={() => setIsOpen(!isOpen)}
        >
          {summaryOf(entry)}
        </button>
        {isOpen && <Details entry={entry} />}
      </div>
    </article>
  )
}

function Details({ entry }: { readonly entry: AuditRowFragment }) {
  return (
    <dl className="audit-details small">
      {fieldsOf(entry).map(([name, value]) => (
        <div key={name}>
          <dt className="soft">{name}</dt>
          <dd className="foreign">
            {name === 'session id' ? <Link href={`/sessions/${encodeURIComponent(value)}`}>{value}</Link> : value}
          </dd>
        </div>
      ))}
      <div>
        <dt className="soft">entry</dt>
        <dd>
          <CopyId id={entry.id} />
        </dd>
      </div>
      <div>
        <dt className="soft">at</dt>
        <dd>{entry.at}</dd>
      </div>
    </dl>
  )
}
