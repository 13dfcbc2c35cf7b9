/** One fact: what it says, what it said before, and which turns relied on it. */
import { useState } from 'react'
import { Link } from 'wouter'
import { useChange } from '../../../data/use-change.ts'
import { useRead } from '../../../data/use-read.ts'
import { useViewer } from '../../../data/use-viewer.ts'
import {
  FactDocument,
  FactsDocument,
  InvalidateFactDocument,
  RestoreFactDocument,
  ReviewFactDocument,
  SetFactPinnedDocument,
} from '../../../generated/graphql.ts'
import { Button, IconButton } from '../../../ui/controls/button.tsx'
import { Badge } from '../../../ui/display/badge.tsx'
import { CopyId } from '../../../ui/display/copy-id.tsx'
import { Time } from '../../../ui/display/time.tsx'
import { useKeys } from '../../../ui/keys/use-keys.ts'
import { ErrorLine } from '../../../ui/feedback/error-line.tsx'
import { Pending } from '../../../ui/feedback/pending.tsx'
import { countOf } from '../../../ui/display/time-text.ts'
import { ScopeBadge } from '../scope-badge.tsx'
import { DisputeDialog } from './dispute-dialog.tsx'
import { EditFactDialog } from './edit-fact-dialog.tsx'
import { FactHistory } from './fact-history.tsx'
import { Part } from './fact-part.tsx'
import { openFact } from './open-fact.ts'
import { ScopeDialog } from './scope-dialog.tsx'
import type { ShownFact } from './shown-fact.ts'

export function FactDetail({ id }: { readonly id: string }) {
  const { data, isPending, error } = useRead(FactDocument, { id })
  useKeys({ Escape: () => openFact(null) })
  return (
    <section className="fact" aria-label="The fact">
      <header className="fact-head">
        <IconButton icon="left" label="Back to the facts" onClick={() => openFact(null)} />
        <CopyId id={id} />
      </header>
      {error !== null && <ErrorLine>{error.message}</ErrorLine>}
      {isPending && error === null && <Pending what="the fact" />}
      {data !== undefined && data.node?.__typename !== 'Fact' && (
        <p className="page-padded">There is no such fact, or you may not see it.</p>
      )}
      {data?.node?.__typename === 'Fact' && <Content fact={data.node} />}
    </section>
  )
}

function Content({ fact }: { readonly fact: ShownFact }) {
  const { number, content, source, createdAt, validTo, invalidatedAt, disputedAt, replacedBy, replaces, session } = fact
  return (
    <div className="fact-body">
      <p className="fact-text foreign">{content}</p>
      <div className="pick-line small faint">
        <ScopeBadge of={fact} />
        {fact.pinned && <Badge>pinned</Badge>}
        <span>
          #{number} · {source.toLowerCase()} · <Time at={createdAt} />
        </span>
        {session !== null && <Link href={`/sessions/${encodeURIComponent(session.id)}`}>{session.id}</Link>}
        {invalidatedAt !== null && (
          <span>
            <Badge>not in use</Badge> since <Time at={invalidatedAt} />
          </span>
        )}
        <Disputed at={disputedAt} />
        <Reviewed fact={fact} />
        {validTo !== null && (
          <span>
            held until <Time at={validTo} />
          </span>
        )}
      </div>
      <Buttons fact={fact} />
      {replacedBy !== null && <Others title="Replaced by" facts={[replacedBy]} />}
      {replaces.length > 0 && <Others title="In the place of" facts={replaces} />}
      <FactHistory fact={fact} />
      <UsedBy fact={fact} />
    </div>
  )
}

/** Why, the question says, by which an admin decides. */
function Disputed({ at }: { readonly at: ShownFact['disputedAt'] }) {
  const { isAdmin } = useViewer()
  if (at === null) return null
  return (
    <span>
      <Badge tone="warn">disputed</Badge> since <Time at={at} />:{' '}
      {isAdmin ? <Link href="/memory/questions">read why, and decide</Link> : 'an admin has not decided yet'}
    </span>
  )
}

function Reviewed({ fact: { reviewedAt, reviewedBy } }: { readonly fact: ShownFact }) {
  if (reviewedAt === null) return null
  return (
    <span className="foreign">
      reviewed{reviewedBy !== null && ` by ${reviewedBy.name}`} <Time at={reviewedAt} />
    </span>
  )
}

function Buttons({ fact }: { readonly fact: ShownFact }) {
  const { isAdmin } = useViewer()
  const [open, setOpen] = useState<'edit' | 'scope' | 'dispute' | null>(null)
  const close = (): void => setOpen(null)
  const touched = [FactsDocument, FactDocument]
  const invalidate = useChange(InvalidateFactDocument, (data) => data.invalidateFact, touched)
  const restore = useChange(RestoreFactDocument, (data) => data.restoreFact, touched)
  const review = useChange(ReviewFactDocument, (data) => data.reviewFact, touched)
  const pin = useChange(SetFactPinnedDocument, (data) => data.setFactPinned, touched)
  const { id, version, pinned, viewerCan } = fact
  useKeys({ e: () => viewerCan.edit && setOpen('edit'), w: () => viewerCan.edit && setOpen('scope') })
  return (
    <div className="pick-actions">
      {viewerCan.edit && (
        <Button small icon="edit" onClick={() => setOpen('edit')}>
          Edit
        </Button>
      )}
      {viewerCan.edit && (
        <Button small icon="people" onClick={() => setOpen('scope')}>
          Whom it is shown
        </Button>
      )}
      {viewerCan.review && (
        <Button small icon="check" onClick={() => void review.send({ id, version })}>
          Reviewed
        </Button>
      )}
      {viewerCan.pin && (
        <Button small onClick={() => void pin.send({ id, pinned: !pinned })}>
          {pinned ? 'Unpin' : 'Pin'}
        </Button>
      )}
      {viewerCan.invalidate && (
        <Button small kind="danger" onClick={() => void invalidate.send({ id })}>
          Take out of use
        </Button>
      )}
      {viewerCan.restore && (
        <Button small onClick={() => void restore.send({ id })}>
          Use again
        </Button>
      )}
      {viewerCan.dispute && !isAdmin && (
        <Button small icon="warning" onClick={() => setOpen('dispute')}>
          This is wrong
        </Button>
      )}
      {open === 'edit' && <EditFactDialog fact={fact} onClose={close} />}
      {open === 'scope' && <ScopeDialog fact={fact} onClose={close} />}
      {open === 'dispute' && <DisputeDialog fact={fact} onClose={close} />}
    </div>
  )
}

interface OthersProps {
  readonly title: string
  readonly facts: readonly { readonly id: string; readonly content: string }[]
}

function Others({ title, facts }: OthersProps) {
  return (
    <Part title={title}>
      <ul>
        {facts.map(({ id, content }) => (
          <li key={id}>
            <Link href={`/memory/facts/${id}`} className="foreign">
              {content}
            </Link>
          </li>
        ))}
      </ul>
    </Part>
  )
}

function UsedBy({ fact }: { readonly fact: ShownFact }) {
  const turns = fact.usedBy.edges.map(({ node }) => node)
  const wrong = fact.invalidatedAt !== null && turns.length > 0
  if (fact.useCount === 0) return null
  return (
    <Part title={`Relied on by ${countOf(fact.useCount, 'turn')}`}>
      {turns.length === 0 && <p className="soft">In sessions that you may not see, or that are gone.</p>}
      {wrong && <p className="soft">This fact is no longer in use: these answers may be wrong because of it.</p>}
      <ul className="fact-turns">
        {turns.map(({ id, session, message, startedAt }) => (
          <li key={id} className="pick-line">
            <Link href={`/sessions/${encodeURIComponent(session.id)}?turn=${id}`} className="cut foreign">
              {message.content}
            </Link>
            {startedAt !== null && (
              <span className="small faint push">
                <Time at={startedAt} />
              </span>
            )}
          </li>
        ))}
      </ul>
      {fact.usedBy.pageInfo.hasNextPage && <p className="small faint">and more before these</p>}
    </Part>
  )
}
