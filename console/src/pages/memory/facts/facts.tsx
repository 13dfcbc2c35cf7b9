/**
 * What every session may rely on: searched by the server while one types, and beside the list the one that is looked
 * at.
 */
import { useDeferredValue, useState } from 'react'
import { useAddressedText } from '../../../app/use-addressed.ts'
import { queryClient } from '../../../data/query-client.ts'
import { keyOf, usePages } from '../../../data/use-read.ts'
import { useUpdates } from '../../../data/use-updates.ts'
import { useViewer } from '../../../data/use-viewer.ts'
import { FactDocument, FactsDocument, FactUpdatesDocument, type FactRowFragment } from '../../../generated/graphql.ts'
import { Button } from '../../../ui/controls/button.tsx'
import { CheckField, SearchField } from '../../../ui/controls/field.tsx'
import { Badge } from '../../../ui/display/badge.tsx'
import { KeyHints } from '../../../ui/display/key-hints.tsx'
import { Time } from '../../../ui/display/time.tsx'
import { ListPane } from '../../../ui/picking/list-pane.tsx'
import { PickRow } from '../../../ui/picking/pick-row.tsx'
import { usePicking } from '../../../ui/picking/use-picking.ts'
import { EmptyState } from '../../../ui/feedback/empty-state.tsx'
import { ScopeBadge } from '../scope-badge.tsx'
import { FactDetail } from './fact-detail.tsx'
import { NewFactDialog } from './new-fact-dialog.tsx'
import { openFact } from './open-fact.ts'

const KEYS = [
  ['/', 'search'],
  ['↑ ↓', 'move'],
  ['Enter', 'open'],
] as const
const KEYS_OF_ADMINS = [...KEYS, ['n', 'new']] as const

const noFacts = (
  <EmptyState icon="memory" title="No such fact">
    Try other words, or tick the box to include facts that are no longer in use.
  </EmptyState>
)

const noFactsYet = (
  <EmptyState icon="memory" title="No facts yet">
    Facts come from what sessions learn, once it is promoted, or are written by admins. All that are shown to you will
    be listed here.
  </EmptyState>
)

const noneToReview = (
  <EmptyState icon="memory" title="Nothing to review">
    A person has reviewed every fact that is found so. Untick the box to see them all.
  </EmptyState>
)

export function Facts({ shownId }: { readonly shownId: string | null }) {
  const viewer = useViewer()
  const [typed, setTyped] = useAddressedText('search')
  const [all, setAll] = useAddressedText('all')
  const includeInvalidated = all !== ''
  const [review, setReview] = useAddressedText('review')
  const isReview = review !== ''
  const [isNew, setIsNew] = useState(false)
  const search = useDeferredValue(typed.trim())
  const filter = { includeInvalidated, ...(isReview ? { reviewed: false } : {}), ...(search === '' ? {} : { search }) }
  const order = isReview ? ({ orderBy: 'MOST_USED' } as const) : {}
  const list = usePages(FactsDocument, { first: 50, filter, ...order }, ({ facts }) => facts)
  useUpdates(FactUpdatesDocument, viewer.isAdmin ? {} : null, () => {
    for (const read of [FactsDocument, FactDocument]) void queryClient.invalidateQueries({ queryKey: keyOf(read) })
  })
  const empty = search !== '' ? noFacts : isReview ? noneToReview : noFactsYet
  const picking = usePicking(list.rows, ({ id }) => id, {
    Enter: () => picking.currentId !== null && openFact(picking.currentId),
    n: () => viewer.isAdmin && setIsNew(true),
  })
  const bar = (
    <>
      <SearchField label="Search the facts" value={typed} onChange={(event) => setTyped(event.target.value)} />
      <Boxes isAll={includeInvalidated} setAll={setAll} isReview={isReview} setReview={setReview} />
      {viewer.isAdmin && (
        <Button icon="plus" onClick={() => setIsNew(true)}>
          New fact
        </Button>
      )}
    </>
  )
  return (
    <div className={shownId === null ? 'facts' : 'facts facts-open'}>
      <div className="facts-list">
        <ListPane
          what="facts"
          list={list}
          bar={bar}
          empty={empty}
          rowHeight={64}
          foot={<KeyHints keys={viewer.isAdmin ? KEYS_OF_ADMINS : KEYS} />}
        >
          {(row) => (
            <PickRow id={row.id} label={row.content} picking={picking} hasBox={false}>
              <FactLine fact={row} />
            </PickRow>
          )}
        </ListPane>
      </div>
      {shownId !== null && <FactDetail key={shownId} id={shownId} />}
      {isNew && <NewFactDialog onClose={() => setIsNew(false)} />}
    </div>
  )
}

interface BoxesProps {
  readonly isAll: boolean
  readonly setAll: (value: string) => void
  readonly isReview: boolean
  readonly setReview: (value: string) => void
}

/** Which facts are listed; the empty text is left out of the address. */
function Boxes({ isAll, setAll, isReview, setReview }: BoxesProps) {
  const viewer = useViewer()
  return (
    <>
      <CheckField
        label="Also those not in use"
        checked={isAll}
        onChange={(event) => setAll(event.target.checked ? '1' : '')}
      />
      {viewer.isAdmin && (
        <CheckField
          label="To review, most used first"
          checked={isReview}
          onChange={(event) => setReview(event.target.checked ? '1' : '')}
        />
      )}
    </>
  )
}

function FactLine({ fact }: { readonly fact: FactRowFragment }) {
  return (
    <button type="button" tabIndex={-1} className="fact-line" onClick={() => openFact(fact.id)}>
      <span className="foreign">{fact.content}</span>
      <span className="pick-line small faint">
        <span>
          #{fact.number} · {fact.source.toLowerCase()} · <Time at={fact.updatedAt} />
          {fact.version > 1 && ` · version ${fact.version}`}
          {fact.useCount > 0 && ` · relied on ${fact.useCount === 1 ? 'once' : `${fact.useCount} times`}`}
        </span>
        {fact.scope !== 'GLOBAL' && <ScopeBadge of={fact} />}
        {fact.invalidatedAt !== null && <Badge>not in use</Badge>}
        {fact.disputedAt !== null && <Badge tone="warn">disputed</Badge>}
      </span>
    </button>
  )
}
