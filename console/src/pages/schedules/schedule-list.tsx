/** All schedules that the viewer may see, newest first. */
import { useState, type ReactNode } from 'react'
import { Link } from 'wouter'
import { goTo } from '../../app/hash-location.ts'
import { useAddressedChoice } from '../../app/use-addressed.ts'
import { queryClient } from '../../data/query-client.ts'
import { keyOf, usePages } from '../../data/use-read.ts'
import { useUpdates } from '../../data/use-updates.ts'
import { useViewer } from '../../data/use-viewer.ts'
import {
  ScheduleRunsDocument,
  SchedulesDocument,
  ScheduleUpdatesDocument,
  type ScheduleRowFragment,
} from '../../generated/graphql.ts'
import { Button } from '../../ui/controls/button.tsx'
import { SelectField } from '../../ui/controls/field.tsx'
import { Badge, Status } from '../../ui/display/badge.tsx'
import { KeyHints } from '../../ui/display/key-hints.tsx'
import { Time } from '../../ui/display/time.tsx'
import { ListPane } from '../../ui/picking/list-pane.tsx'
import { PickRow } from '../../ui/picking/pick-row.tsx'
import { usePicking } from '../../ui/picking/use-picking.ts'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { ScheduleForm } from './schedule-form.tsx'
import { timingText } from './timing-text.ts'
import { useScheduleChanges, type ScheduleChanges } from './use-schedule-changes.ts'

const KEYS = [
  ['↑ ↓', 'move'],
  ['Enter', 'open'],
  ['n', 'new'],
  ['p', 'pause or go on'],
  ['t', 'trigger'],
] as const

const WHICH = ['all', 'on', 'off'] as const

export function ScheduleList() {
  const viewer = useViewer()
  const mayCreate = viewer.user !== null
  const [which, setWhich] = useAddressedChoice('which', WHICH)
  const [isNew, setIsNew] = useState(false)
  const filter = which === 'all' ? {} : { enabled: which === 'on' }
  const list = usePages(SchedulesDocument, { first: 50, filter }, ({ schedules }) => schedules)
  useUpdates(ScheduleUpdatesDocument, {}, () => {
    for (const read of [SchedulesDocument, ScheduleRunsDocument])
      void queryClient.invalidateQueries({ queryKey: keyOf(read) })
  })
  const changes = useScheduleChanges()
  const picking = usePicking(list.rows, ({ id }) => id, {
    Enter: () => picking.currentId !== null && goTo(`/schedules/${picking.currentId}`),
    n: () => mayCreate && setIsNew(true),
    p: () => picking.chosen.filter(({ viewerCan }) => viewerCan.update).forEach((row) => void changes.pause(row)),
    t: () => picking.chosen.filter(({ viewerCan }) => viewerCan.trigger).forEach((row) => void changes.trigger(row)),
  })
  const create = mayCreate && (
    <Button kind="main" icon="plus" onClick={() => setIsNew(true)}>
      New schedule
    </Button>
  )
  return (
    <div className="page">
      <header className="page-head">
        <h1>Schedules</h1>
        {create}
      </header>
      <div className="page-body">
        <ListPane
          what="schedules"
          list={list}
          bar={<Bar which={which} onChange={setWhich} />}
          empty={<NoSchedules create={create} />}
          rowHeight={88}
          foot={<KeyHints keys={KEYS} />}
        >
          {(row) => (
            <PickRow id={row.id} label={row.name} picking={picking} hasBox={false}>
              <ScheduleSummary schedule={row} isOthersShown={viewer.isAdmin} />
              <Buttons row={row} changes={changes} />
            </PickRow>
          )}
        </ListPane>
      </div>
      {isNew && <ScheduleForm schedule={null} onClose={() => setIsNew(false)} />}
    </div>
  )
}

interface BarProps {
  readonly which: (typeof WHICH)[number]
  readonly onChange: (which: (typeof WHICH)[number]) => void
}

function Bar({ which, onChange }: BarProps) {
  return (
    <SelectField
      label="Which"
      isLabelUnseen
      value={which}
      onChange={(event) => onChange(event.target.value as typeof which)}
    >
      <option value="all">All</option>
      <option value="on">Enabled</option>
      <option value="off">Paused</option>
    </SelectField>
  )
}

function NoSchedules({ create }: { readonly create: ReactNode }) {
  return (
    <EmptyState icon="schedules" title="No schedules here" action={create}>
      A schedule sends a message at times that a cron expression names, or once, as the user who made it. What came of
      each run is kept.
    </EmptyState>
  )
}

function Buttons({ row, changes }: { readonly row: ScheduleRowFragment; readonly changes: ScheduleChanges }) {
  return (
    <div className="pick-actions">
      {row.viewerCan.trigger && (
        <Button small icon="play" onClick={() => void changes.trigger(row)}>
          Trigger
        </Button>
      )}
      {row.viewerCan.update && (
        <Button small icon={row.enabled ? 'pause' : 'play'} onClick={() => void changes.pause(row)}>
          {row.enabled ? 'Pause' : 'Go on'}
        </Button>
      )}
    </div>
  )
}

interface ScheduleSummaryProps {
  readonly schedule: ScheduleRowFragment
  readonly isOthersShown: boolean
}

function ScheduleSummary({ schedule, isOthersShown }: ScheduleSummaryProps) {
  const { id, name, user, content, enabled, nextRunAt, lastRun, pausedReason } = schedule
  return (
    <>
      <div className="pick-line">
        <Link href={`/schedules/${id}`} className="cut foreign">
          <strong>{name}</strong>
        </Link>
        {isOthersShown && <span className="faint small foreign">{user}</span>}
        <span className="mono small soft">{timingText(schedule)}</span>
        <span className="push">{enabled ? null : <Badge tone="warn">paused</Badge>}</span>
        {nextRunAt !== null && (
          <span className="small">
            next <Time at={nextRunAt} />
          </span>
        )}
        {lastRun !== null && <Status status={lastRun.status} />}
      </div>
      <p className="cut soft foreign">{content}</p>
      {pausedReason !== null && <p className="small foreign schedule-problem">{pausedReason}</p>}
    </>
  )
}
