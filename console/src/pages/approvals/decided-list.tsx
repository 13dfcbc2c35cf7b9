/** What became of approvals, newest first, and who decided. */
import { useAddressedChoice } from '../../app/use-addressed.ts'
import { usePages } from '../../data/use-read.ts'
import { DecidedApprovalsDocument, type ApprovalRowFragment, type ApprovalStatus } from '../../generated/graphql.ts'
import { SelectField } from '../../ui/controls/field.tsx'
import { Status } from '../../ui/display/badge.tsx'
import { Time } from '../../ui/display/time.tsx'
import { ListPane } from '../../ui/picking/list-pane.tsx'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { WhatRuns } from './what-runs.tsx'

const SETTLED: readonly ApprovalStatus[] = ['APPROVED', 'DENIED', 'EXPIRED', 'CANCELLED']

const nothingDecided = (
  <EmptyState icon="approvals" title="Nothing was decided yet">
    What is approved, denied or not decided in time is kept here, with who decided and what was said.
  </EmptyState>
)

const nothingSettledSo = (
  <EmptyState icon="filter" title="None was settled so">
    Choose all that are settled to see the others.
  </EmptyState>
)

export function DecidedList() {
  const [only, setOnly] = useAddressedChoice<ApprovalStatus | ''>('status', ['', ...SETTLED])
  const status = only === '' ? [...SETTLED] : [only]
  const list = usePages(DecidedApprovalsDocument, { first: 50, status }, ({ approvals }) => approvals)
  const bar = (
    <SelectField
      label="Which"
      isLabelUnseen
      value={only}
      onChange={(event) => setOnly(event.target.value as ApprovalStatus | '')}
    >
      <option value="">All that are settled</option>
      {SETTLED.map((one) => (
        <option key={one} value={one}>
          {one.charAt(0) + one.slice(1).toLowerCase()}
        </option>
      ))}
    </SelectField>
  )
  return (
    <ListPane
      what="approvals that are settled"
      list={list}
      bar={bar}
      empty={only === '' ? nothingDecided : nothingSettledSo}
      rowHeight={130}
    >
      {(row) => (
        <article className="pick-row" tabIndex={0} aria-label={`${row.status.toLowerCase()}: ${row.task.detail}`}>
          <div className="pick-body">
            <WhatRuns approval={row} state={<Status status={row.status} />} />
            <Decision approval={row} />
          </div>
        </article>
      )}
    </ListPane>
  )
}

function Decision({ approval }: { readonly approval: ApprovalRowFragment }) {
  const { decidedBy, decidedAt, note, scope, remembered } = approval
  if (decidedAt === null) return null
  return (
    <p className="small">
      <span className="foreign">{decidedBy === null ? 'Nobody decided' : decidedBy.name}</span> ·{' '}
      <Time at={decidedAt} />
      {scope === 'SESSION' && <span className="foreign">{` · for the session: ${remembered.join(', ')}`}</span>}
      {note !== null && <span className="foreign">{` · “${note}”`}</span>}
    </p>
  )
}
