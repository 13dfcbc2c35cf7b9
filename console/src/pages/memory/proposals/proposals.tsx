/**
 * What the summarizer would make of facts that are alike: before and after, accepted or rejected as a whole. Worked off
 * by keys, as the inbox is.
 */
import { useState } from 'react'
import { useAddressedChoice } from '../../../app/use-addressed.ts'
import { queryClient } from '../../../data/query-client.ts'
import { keyOf, usePages } from '../../../data/use-read.ts'
import { useUpdates } from '../../../data/use-updates.ts'
import { ProposalsDocument, ProposalUpdatesDocument, type ProposalRowFragment } from '../../../generated/graphql.ts'
import { Button } from '../../../ui/controls/button.tsx'
import { SelectField } from '../../../ui/controls/field.tsx'
import { KeyHints } from '../../../ui/display/key-hints.tsx'
import { ListPane } from '../../../ui/picking/list-pane.tsx'
import { PickRow } from '../../../ui/picking/pick-row.tsx'
import { useHidden } from '../../../ui/picking/use-hidden.ts'
import { usePicking, type Picking } from '../../../ui/picking/use-picking.ts'
import { EmptyState } from '../../../ui/feedback/empty-state.tsx'
import { EditProposalDialog } from './edit-proposal-dialog.tsx'
import { ProposalCard } from './proposal-card.tsx'
import { useDecide, type DecideProposals } from './use-decide.ts'

const KEYS = [
  ['↑ ↓', 'move'],
  ['x', 'pick'],
  ['a', 'accept'],
  ['e', 'edit, then accept'],
  ['d', 'reject'],
  ['u', 'undo'],
] as const

const nothingProposed = (
  <EmptyState icon="memory" title="Nothing is proposed">
    Where facts say nearly the same, the summarizer proposes to make one of them. Nothing happens to them before a
    person accepts it here.
  </EmptyState>
)

const nothingDecided = (
  <EmptyState icon="memory" title="Nothing was decided yet">
    Proposals that were accepted or rejected are kept here, also those that were undone.
  </EmptyState>
)

const WHICH = { waiting: ['WAITING'], decided: ['ACCEPTED', 'REJECTED', 'UNDONE'] } as const

export function Proposals() {
  const [which, setWhich] = useAddressedChoice('which', ['waiting', 'decided'])
  const list = usePages(ProposalsDocument, { first: 20, status: [...WHICH[which]] }, ({ proposals }) => proposals)
  useUpdates(ProposalUpdatesDocument, {}, () => {
    void queryClient.invalidateQueries({ queryKey: keyOf(ProposalsDocument) })
  })
  const { shown, hide, show } = useHidden(list.rows)
  const decide = useDecide({ hide, show })
  const [editing, setEditing] = useState<ProposalRowFragment | null>(null)
  const acts = actsOf(decide, setEditing)
  const rows = which === 'waiting' ? shown : list.rows
  const picking = usePicking(rows, ({ id }) => id, {
    a: () => acts.accept(picking.chosen),
    d: () => acts.reject(picking.chosen),
    e: () => acts.edit(picking.chosen),
    u: () => acts.undo(picking.chosen),
  })
  const bar = (
    <>
      <SelectField
        label="Which"
        isLabelUnseen
        value={which}
        onChange={(event) => setWhich(event.target.value as keyof typeof WHICH)}
      >
        <option value="waiting">Waiting</option>
        <option value="decided">Decided</option>
      </SelectField>
      {which === 'waiting' && picking.picked.size > 0 && <Several picking={picking} acts={acts} />}
    </>
  )
  return (
    <>
      <ListPane
        what="proposals"
        list={{ ...list, rows }}
        bar={bar}
        empty={which === 'waiting' ? nothingProposed : nothingDecided}
        rowHeight={160}
        foot={<KeyHints keys={KEYS} />}
      >
        {(row) => (
          <PickRow id={row.id} label={titleOf(row)} picking={picking} hasBox={which === 'waiting'}>
            <ProposalCard proposal={row} />
            <ProposalButtons row={row} acts={acts} />
          </PickRow>
        )}
      </ListPane>
      {editing !== null && (
        <EditProposalDialog
          key={editing.id}
          proposal={editing}
          accept={decide.accept}
          onClose={() => setEditing(null)}
        />
      )}
    </>
  )
}

/** By what it says first. */
function titleOf({ steps }: ProposalRowFragment): string {
  const [first] = steps
  return first?.after ?? first?.facts[0]?.before ?? ''
}

type Act = (rows: readonly ProposalRowFragment[]) => void
type Acts = Readonly<Record<'accept' | 'reject' | 'edit' | 'undo', Act>>

function actsOf(decide: DecideProposals, setEditing: (row: ProposalRowFragment) => void): Acts {
  const waiting = (rows: readonly ProposalRowFragment[]): readonly string[] =>
    rows.filter(({ status }) => status === 'WAITING').map(({ id }) => id)
  return {
    accept: (rows) => {
      const ids = waiting(rows)
      if (ids.length > 0) void decide.accept(ids.map((id) => ({ id })))
    },
    reject: (rows) => {
      const ids = waiting(rows)
      if (ids.length > 0) void decide.reject(ids)
    },
    edit: (rows) => {
      const row = rows.find(({ status }) => status === 'WAITING')
      if (row !== undefined) setEditing(row)
    },
    undo: ([row]) => void decide.undo(row?.status === 'ACCEPTED' ? (row.changeId ?? undefined) : undefined),
  }
}

function ProposalButtons({ row, acts }: { readonly row: ProposalRowFragment; readonly acts: Acts }) {
  return (
    <div className="pick-actions">
      {row.status === 'WAITING' && (
        <>
          <Button small kind="main" onClick={() => acts.accept([row])}>
            Accept
          </Button>
          <Button small onClick={() => acts.edit([row])}>
            Edit
          </Button>
          <Button small kind="danger" onClick={() => acts.reject([row])}>
            Reject
          </Button>
        </>
      )}
      {row.status === 'ACCEPTED' && (
        <Button small onClick={() => acts.undo([row])}>
          Undo
        </Button>
      )}
    </div>
  )
}

function Several({ picking, acts }: { readonly picking: Picking<ProposalRowFragment>; readonly acts: Acts }) {
  const { size } = picking.picked
  return (
    <div className="pick-actions">
      <Button small kind="main" onClick={() => acts.accept(picking.chosen)}>
        {`Accept ${size}`}
      </Button>
      <Button small kind="danger" onClick={() => acts.reject(picking.chosen)}>
        {`Reject ${size}`}
      </Button>
      <Button small kind="quiet" onClick={picking.pickNone}>
        Pick none
      </Button>
    </div>
  )
}
