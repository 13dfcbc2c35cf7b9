/** What waits. Keys act on what is picked, or on the current row. */
import { useAddressedChoice } from '../../app/use-addressed.ts'
import { usePages } from '../../data/use-read.ts'
import { WaitingApprovalsDocument, type ApprovalRowFragment } from '../../generated/graphql.ts'
import { Button } from '../../ui/controls/button.tsx'
import { SelectField } from '../../ui/controls/field.tsx'
import { KeyHints } from '../../ui/display/key-hints.tsx'
import { ListPane } from '../../ui/picking/list-pane.tsx'
import { PickRow } from '../../ui/picking/pick-row.tsx'
import { useHidden } from '../../ui/picking/use-hidden.ts'
import { usePicking, type Picking } from '../../ui/picking/use-picking.ts'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { Countdown } from './countdown.tsx'
import { DenyDialog } from './deny-dialog.tsx'
import { EditDialog } from './edit-dialog.tsx'
import { titleOf } from './title-of.ts'
import { useApproving, type Approving } from './use-approving.ts'
import { WhatRuns } from './what-runs.tsx'

const KEYS = [
  ['↑ ↓', 'move'],
  ['x', 'pick'],
  ['a', 'approve'],
  ['s', 'approve for the session'],
  ['d', 'deny'],
  ['e', 'edit'],
] as const

const nothingWaits = (
  <EmptyState icon="approvals" title="Nothing waits for a decision">
    A command or a plan that needs approval appears here. What needs approval is set under [approvals] in config.toml.
  </EmptyState>
)

export function WaitingList() {
  const [order, setOrder] = useAddressedChoice('order', ['expiry', 'newest'])
  const oldestFirst = order === 'expiry'
  const list = usePages(WaitingApprovalsDocument, { first: 50, oldestFirst }, ({ approvals }) => approvals)
  const { shown, ...hidden } = useHidden(list.rows)
  const approving = useApproving(hidden)
  const picking = usePicking(shown, ({ id }) => id, {
    a: () => approving.approve(picking.chosen, 'ONCE'),
    s: () => approving.approve(picking.chosen, 'SESSION'),
    d: () => approving.deny(picking.chosen),
    e: () => approving.edit(picking.chosen),
  })
  const bar = (
    <>
      <SelectField
        label="Order"
        isLabelUnseen
        value={order}
        onChange={(event) => setOrder(event.target.value as typeof order)}
      >
        <option value="expiry">Soonest to expire first</option>
        <option value="newest">Newest first</option>
      </SelectField>
      {shown.some(({ id, viewerCan }) => viewerCan.decide && picking.picked.has(id)) && (
        <Several picking={picking} approving={approving} />
      )}
    </>
  )
  return (
    <>
      <ListPane
        what="approvals that wait"
        list={{ ...list, rows: shown }}
        bar={bar}
        empty={nothingWaits}
        rowHeight={150}
        foot={shown.some(({ viewerCan }) => viewerCan.decide) ? <KeyHints keys={KEYS} /> : undefined}
      >
        {(row) => (
          <PickRow id={row.id} label={titleOf(row)} picking={picking} hasBox={row.viewerCan.decide}>
            <WhatRuns approval={row} state={<Countdown until={row.expiresAt} />} />
            {row.viewerCan.decide ? (
              <Buttons row={row} approving={approving} />
            ) : (
              <p className="small soft">Others decide this.</p>
            )}
          </PickRow>
        )}
      </ListPane>
      <DenyDialog rows={approving.denied} onClose={approving.leave} {...approving} />
      {approving.edited !== null && <EditDialog row={approving.edited} onClose={approving.leave} {...approving} />}
    </>
  )
}

interface SeveralProps {
  readonly picking: Picking<ApprovalRowFragment>
  readonly approving: Approving
}

function Several({ picking, approving }: SeveralProps) {
  return (
    <div className="pick-actions">
      <Button small kind="main" icon="check" onClick={() => approving.approve(picking.chosen, 'ONCE')}>
        {`Approve ${picking.picked.size}`}
      </Button>
      <Button small kind="danger" icon="close" onClick={() => approving.deny(picking.chosen)}>
        {`Deny ${picking.picked.size}`}
      </Button>
      <Button small kind="quiet" onClick={picking.pickNone}>
        Pick none
      </Button>
    </div>
  )
}

function Buttons({ row, approving }: { readonly row: ApprovalRowFragment; readonly approving: Approving }) {
  return (
    <div className="pick-actions">
      <Button small kind="main" onClick={() => approving.approve([row], 'ONCE')}>
        Approve
      </Button>
      {row.kind === 'TASK' && (
        <Button small onClick={() => approving.approve([row], 'SESSION')}>
          Approve for the session
        </Button>
      )}
      {row.viewerCan.edit && (
        <Button small onClick={() => approving.edit([row])}>
          Edit
        </Button>
      )}
      <Button small kind="danger" onClick={() => approving.deny([row])}>
        Deny
      </Button>
    </div>
  )
}
