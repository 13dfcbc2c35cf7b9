/** Who did what, and what it cost: filtered, live, and provably complete. */
import { useState } from 'react'
import { useSearchParams } from 'wouter'
import { problemOf } from '../../data/use-change.ts'
import { usePages } from '../../data/use-read.ts'
import { AuditPageDocument, type AuditFilter, type AuditKind } from '../../generated/graphql.ts'
import { Button } from '../../ui/controls/button.tsx'
import { SelectField, TextField } from '../../ui/controls/field.tsx'
import { KeyHints } from '../../ui/display/key-hints.tsx'
import { useListKeys } from '../../ui/display/use-list-keys.ts'
import { useKeys } from '../../ui/keys/use-keys.ts'
import { ListPane } from '../../ui/picking/list-pane.tsx'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { notify } from '../../ui/feedback/toasts.ts'
import { AuditEntryRow } from './audit-entry-row.tsx'
import { ChainState } from './chain-state.tsx'
import { exportAudit, MOST_EXPORTED } from './export-audit.ts'
import { useTail, type Tail } from './use-tail.ts'
import './audit.css'
import '../../ui/picking/picking.css'

const KINDS: readonly AuditKind[] = [
  'ACCESS_DENIED',
  'APPROVAL',
  'CONFIG',
  'DELIVERY',
  'KNOWLEDGE',
  'MODEL_CALL',
  'REVIEW',
  'SESSION',
  'TASK',
]

interface Typed {
  readonly kind: AuditKind | ''
  readonly actor: string
  readonly sessionId: string
  /** Days (UTC), such as "2026-11-21"; both are among those that are shown. */
  readonly from: string
  readonly to: string
}

const nothingFound = (
  <EmptyState icon="audit" title="No such entry">
    Everything that people, models and the server do is written here. Leave out a filter to see more.
  </EmptyState>
)

export default function AuditPage() {
  const [typed, setTyped] = useTyped()
  const filter = filterOf(typed)
  const list = usePages(AuditPageDocument, { first: 50, filter }, ({ audit }) => audit)
  const tail = useTail(filter)
  const known = new Set(tail.entries.map(({ id }) => id))
  const rows = [...tail.entries, ...list.rows.filter(({ id }) => !known.has(id))]
  useKeys({ p: tail.pause })
  useListKeys()
  return (
    <div className="page">
      <header className="page-head">
        <h1>Audit</h1>
        <ChainState />
      </header>
      <div className="page-body">
        <ListPane
          what="entries"
          list={{ ...list, rows }}
          bar={<Filters typed={typed} change={setTyped} tail={tail} filter={filter} />}
          empty={nothingFound}
          rowHeight={38}
          foot={<KeyHints keys={KEYS} />}
        >
          {(entry) => <AuditEntryRow entry={entry} />}
        </ListPane>
      </div>
    </div>
  )
}

/** What is searched for, as it stands in the address. */
function useTyped(): [Typed, (typed: Typed) => void] {
  const [search, setSearch] = useSearchParams()
  const kind = KINDS.find((one) => one === search.get('kind')) ?? ''
  const read = (name: string): string => search.get(name) ?? ''
  const typed: Typed = {
    kind,
    actor: read('who'),
    sessionId: read('session'),
    from: read('from'),
    to: read('to'),
  }
  const set = (next: Typed): void => {
    const all = { kind: next.kind, who: next.actor, session: next.sessionId, from: next.from, to: next.to }
    setSearch(Object.fromEntries(Object.entries(all).filter(([, value]) => value !== '')), { replace: true })
  }
  return [typed, set]
}

const KEYS = [
  ['↑ ↓', 'move'],
  ['Enter', 'details'],
  ['p', 'pause'],
] as const

const DAY_MS = 86_400_000

/** Null: it is no day, as one that is being typed. */
function beginOf(day: string): Date | null {
  const begin = new Date(`${day}T00:00:00.000Z`)
  return Number.isNaN(begin.getTime()) ? null : begin
}

function filterOf({ kind, actor, sessionId, ...days }: Typed): AuditFilter {
  const [from, to] = [beginOf(days.from), beginOf(days.to)]
  return {
    ...(kind === '' ? {} : { kind: [kind] }),
    ...(actor.trim() === '' ? {} : { actor: actor.trim() }),
    ...(sessionId.trim() === '' ? {} : { sessionId: sessionId.trim() }),
    ...(from === null ? {} : { from: from.toISOString() }),
    ...(to === null ? {} : { to: new Date(to.getTime() + DAY_MS).toISOString() }),
  }
}

interface FiltersProps {
  readonly typed: Typed
  readonly change: (typed: Typed) => void
  readonly tail: Tail
  readonly filter: AuditFilter
}

function Filters({ typed, change, tail, filter }: FiltersProps) {
  return (
    <>
      <SelectField
        label="Kind"
        isLabelUnseen
        value={typed.kind}
        onChange={(event) => change({ ...typed, kind: event.target.value as Typed['kind'] })}
      >
        <option value="">All kinds</option>
        {KINDS.map((kind) => (
          <option key={kind} value={kind}>
            {kind.toLowerCase().replaceAll('_', ' ')}
          </option>
        ))}
      </SelectField>
      <TextField
        label="Who"
        isLabelUnseen
        placeholder="Who"
        value={typed.actor}
        onChange={(event) => change({ ...typed, actor: event.target.value })}
      />
      <TextField
        label="Session"
        isLabelUnseen
        placeholder="Session"
        value={typed.sessionId}
        onChange={(event) => change({ ...typed, sessionId: event.target.value })}
      />
      <div className="audit-days">
        <DayField label="From" day={typed.from} change={(from) => change({ ...typed, from })} />
        <DayField label="To" day={typed.to} change={(to) => change({ ...typed, to })} />
      </div>
      <Button icon={tail.isPaused ? 'play' : 'pause'} aria-pressed={tail.isPaused} onClick={tail.pause}>
        {tail.isPaused ? `Go on (${tail.waiting} new)` : 'Pause'}
      </Button>
      <ExportButton filter={filter} />
    </>
  )
}

interface DayFieldProps {
  readonly label: string
  readonly day: string
  readonly change: (day: string) => void
}

function DayField({ label, day, change }: DayFieldProps) {
  return (
    <TextField
      label={label}
      title="A day in UTC"
      type="date"
      value={day}
      onChange={(event) => change(event.target.value)}
    />
  )
}

function ExportButton({ filter }: { readonly filter: AuditFilter }) {
  const [isBusy, setIsBusy] = useState(false)
  const save = async (): Promise<void> => {
    setIsBusy(true)
    try {
      const count = await exportAudit(filter)
      const more = count < MOST_EXPORTED ? '' : ' There are more; narrow the filter.'
      notify({ tone: 'good', text: `${count} entries saved.${more}` })
    } catch (error) {
      notify({ tone: 'bad', text: problemOf(error) })
    }
    setIsBusy(false)
  }
  return (
    <Button icon="download" isBusy={isBusy} onClick={() => void save()}>
      Export
    </Button>
  )
}
