/** A session in the list: what it is, how it stands, and what was said last. */
import { memo } from 'react'
import { Link } from 'wouter'
import type { SessionRowFragment } from '../../generated/graphql.ts'
import { Badge, Status } from '../../ui/display/badge.tsx'
import { plainText } from '../../ui/markdown/plain-text.ts'
import { Time } from '../../ui/display/time.tsx'
import { countOf } from '../../ui/display/time-text.ts'

export const SessionRow = memo(function SessionRow({ session }: { readonly session: SessionRowFragment }) {
  const { id, title, status, queueLength, approvals, lastMessagePreview, messageCount } = session
  return (
    <Link href={`/sessions/${encodeURIComponent(id)}`} className="session-row">
      <span className="session-row-title">
        <strong className="cut foreign">{title}</strong>
        {title !== id && <span className="cut mono faint small">{id}</span>}
      </span>
      <span className="session-row-state">
        {approvals.length > 0 && <Badge tone="warn">{countOf(approvals.length, 'approval')}</Badge>}
        {queueLength > 0 && <Badge>{queueLength} waiting</Badge>}
        {status !== 'IDLE' && !(status === 'AWAITING_APPROVAL' && approvals.length > 0) && <Status status={status} />}
      </span>
      <span className="session-row-said cut foreign soft">
        {lastMessagePreview == null
          ? messageCount === 0
            ? 'Nothing was said yet.'
            : ''
          : plainText(lastMessagePreview)}
      </span>
      <span className="session-row-time faint small">
        <Time at={session.lastActivityAt} />
      </span>
    </Link>
  )
})
