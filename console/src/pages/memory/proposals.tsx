/** What the summarizer would make of facts that are alike: before and after, to be accepted or rejected as a whole. */
import { useState } from 'react'
import { Link } from 'wouter'
import { queryClient } from '../../data/query-client.ts'
import { useChange } from '../../data/use-change.ts'
import { keyOf, usePages } from '../../data/use-read.ts'
import { useUpdates } from '../../data/use-updates.ts'
import {
  AcceptProposalDocument,
  FactsDocument,
  ProposalsDocument,
  ProposalUpdatesDocument,
  RejectProposalDocument,
  UndoChangeDocument,
  type ProposalRowFragment,
} from '../../generated/graphql.ts'
import { Button } from '../../ui/controls/button.tsx'
import { SelectField } from '../../ui/controls/field.tsx'
import { Status } from '../../ui/display/badge.tsx'
import { Diff } from '../../ui/display/diff.tsx'
import { KeyHints } from '../../ui/display/key-hints.tsx'
import { Time } from '../../ui/display/time.tsx'
import { ListPane } from '../../ui/picking/list-pane.tsx'
import { PickRow } from '../../ui/picking/pick-row.tsx'
import { usePicking } from '../../ui/picking/use-picking.ts'
import { EmptyState } from '../../ui/tell/empty-state.tsx'

const KEYS = [
  ['↑ ↓', 'move'],
  ['a', 'accept'],
  ['d', 'reject'],
  ['u', 'undo'],
] as const

const nothingProposed = (
  <EmptyState icon="memory" title="Nothing is proposed">
    Where facts say nearly the same, the summarizer proposes to make one of them. Nothing happens to them before
    somebody accepts it here.
  </EmptyState>
)

const TOUCHED = [ProposalsDocument, FactsDocument]

export function Proposals() {
  const [isWaiting, setIsWaiting] = useState(true)
  const status = isWaiting ? (['WAITING'] as const) : (['ACCEPTED', 'REJECTED', 'UNDONE'] as const)
  const list = usePages(ProposalsDocument, { first: 20, status: [...status] }, ({ proposals }) => proposals)
  useUpdates(ProposalUpdatesDocument, {}, () => {
    void queryClient.invalidateQueries({ queryKey: keyOf(ProposalsDocument) })
  })
  const acceptance = useChange(AcceptProposalDocument, (data) => data.acceptProposal, TOUCHED)
  const rejection = useChange(RejectProposalDocument, (data) => data.rejectProposal, TOUCHED)
  const undoing = useChange(UndoChangeDocument, (data) => data.undoChange, TOUCHED)
  const acts: Acts = {
    accept: ({ id, status: now }) => void (now === 'WAITING' && acceptance.send({ id })),
    reject: ({ id, status: now }) => void (now === 'WAITING' && rejection.send({ id })),
    undo: ({ changeId, status: now }) => void (now === 'ACCEPTED' && changeId !== null && undoing.send({ changeId })),
  }
  const act = (what: keyof Acts): void => picking.chosen.slice(0, 1).forEach(acts[what])
  const picking = usePicking(list.rows, ({ id }) => id, {
    a: () => act('accept'),
    d: () => act('reject'),
    u: () => act('undo'),
  })
  const bar = (
    <SelectField
      label="Which"
      isLabelUnseen
      value={isWaiting ? 'waiting' : 'decided'}
      onChange={(event) => setIsWaiting(event.target.value === 'waiting')}
    >
      <option value="waiting">Waiting</option>
      <option value="decided">Decided</option>
    </SelectField>
  )
  return (
    <ListPane
      what="proposals"
      list={list}
      bar={bar}
      empty={nothingProposed}
      rowHeight={160}
      foot={<KeyHints keys={KEYS} />}
    >
      {(row) => (
        <PickRow id={row.id} label={`${row.steps.length} steps`} picking={picking} hasBox={false}>
          <ProposalCard proposal={row} />
          <ProposalButtons row={row} acts={acts} />
        </PickRow>
      )}
    </ListPane>
  )
}

type Acts = Readonly<Record<'accept' | 'reject' | 'undo', (row: ProposalRowFragment) => void>>

function ProposalButtons({ row, acts }: { readonly row: ProposalRowFragment; readonly acts: Acts }) {
  return (
    <div className="pick-actions">
      {row.status === 'WAITING' && (
        <>
          <Button small kind="main" onClick={() => acts.accept(row)}>
            Accept
          </Button>
          <Button small kind="danger" onClick={() => acts.reject(row)}>
            Reject
          </Button>
        </>
      )}
      {row.status === 'ACCEPTED' && (
        <Button small onClick={() => acts.undo(row)}>
          Undo
        </Button>
      )}
    </div>
  )
}

function ProposalCard({ proposal }: { readonly proposal: ProposalRowFragment }) {
  const { status, createdAt, decidedBy, steps } = proposal
  return (
    <>
      {steps.map(({ step, operation, facts, after, reason }) => (
        <div key={step} className="learning">
          <div className="learning-said">
            <p className="learning-text foreign">{after ?? `Drop: ${reason ?? ''}`}</p>
            <p className="small faint">{operation.toLowerCase()}</p>
          </div>
          <ul className="learning-near small" aria-label="Before">
            {facts.map(({ before, fact }) => (
              <li key={fact.id}>
                <Link href={`/memory/facts/${fact.id}`} className="learning-fact">
                  {after === null ? <span className="foreign">{before}</span> : <Diff before={before} after={after} />}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
      <div className="pick-line small faint">
        <Status status={status} />
        <Time at={createdAt} />
        {decidedBy !== null && <span className="foreign">by {decidedBy.name}</span>}
      </div>
    </>
  )
}
