/** One schedule, and what came of its runs. */
import { useState, type ReactNode } from 'react'
import { Link } from 'wouter'
import { goTo } from '../../app/hash-location.ts'
import { queryClient } from '../../data/query-client.ts'
import { keyOf, usePages, useRead } from '../../data/use-read.ts'
import { useUpdates } from '../../data/use-updates.ts'
import {
  ScheduleRunsDocument,
  ScheduleUpdatesDocument,
  type ScheduleRowFragment,
  type ScheduleRunsQuery,
} from '../../generated/graphql.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Dialog } from '../../ui/controls/dialog.tsx'
import { Badge, Status } from '../../ui/display/badge.tsx'
import { CopyId } from '../../ui/display/copy-id.tsx'
import { Duration, Time } from '../../ui/display/time.tsx'
import { ListPane } from '../../ui/picking/list-pane.tsx'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { ErrorLine } from '../../ui/feedback/error-line.tsx'
import { Pending } from '../../ui/feedback/pending.tsx'
import { ScheduleForm } from './schedule-form.tsx'
import { timingText } from './timing-text.ts'
import { useScheduleChanges } from './use-schedule-changes.ts'

type Detail = Extract<NonNullable<ScheduleRunsQuery['node']>, { __typename: 'Schedule' }>
type Run = Detail['runs']['edges'][number]['node']

const scheduleOf = ({ node }: ScheduleRunsQuery): Detail | null => (node?.__typename === 'Schedule' ? node : null)

const noRuns = (
  <EmptyState icon="schedules" title="It has not run yet">
    Its runs appear here. “Trigger” runs it now.
  </EmptyState>
)

export function ScheduleDetail({ id }: { readonly id: string }) {
  const { data, isPending, error } = useRead(ScheduleRunsDocument, { id, first: 1 })
  const runs = usePages(ScheduleRunsDocument, { id, first: 50 }, (page) => scheduleOf(page)?.runs)
  useUpdates(ScheduleUpdatesDocument, {}, () => {
    void queryClient.invalidateQueries({ queryKey: keyOf(ScheduleRunsDocument) })
  })
  if (error !== null) return <ErrorLine>{error.message}</ErrorLine>
  if (isPending) return <Pending what="the schedule" />
  const schedule = scheduleOf(data)
  if (schedule === null)
    return (
      <EmptyState
        icon="schedules"
        title="There is no such schedule"
        action={<Link href="/schedules">All schedules</Link>}
      >
        It was deleted, or it belongs to another user.
      </EmptyState>
    )
  return (
    <div className="page">
      <ScheduleHead schedule={schedule} />
      <ScheduleFacts schedule={schedule} />
      <div className="page-body">
        <ListPane what="runs" list={runs} empty={noRuns} rowHeight={70}>
          {(run) => <RunRow run={run} />}
        </ListPane>
      </div>
    </div>
  )
}

function ScheduleFacts({ schedule }: { readonly schedule: ScheduleRowFragment }) {
  return (
    <dl className="schedule-facts page-padded">
      <Fact name="Fires">
        <span className="mono">{timingText(schedule)}</span>
      </Fact>
      <Fact name="Next">{schedule.nextRunAt === null ? 'not by itself' : <Time at={schedule.nextRunAt} />}</Fact>
      <Fact name="As">{schedule.user}</Fact>
      <Fact name="Into">{schedule.mode === 'DEDICATED' ? 'one session for all runs' : 'a new session each time'}</Fact>
      <Fact name="Sends">
        <span className="schedule-content foreign">{schedule.content}</span>
      </Fact>
      {schedule.pausedReason !== null && (
        <Fact name="Paused">
          <span className="foreign schedule-problem">{schedule.pausedReason}</span>
        </Fact>
      )}
      {schedule.failures > 0 && (
        <Fact name="Failures">
          <span className="foreign schedule-problem">{`${schedule.failures} in a row. ${schedule.lastError ?? ''}`}</span>
        </Fact>
      )}
    </dl>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt className="field-label">{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function ScheduleHead({ schedule }: { readonly schedule: ScheduleRowFragment }) {
  const [isEdited, setIsEdited] = useState(false)
  const [isDeleted, setIsDeleted] = useState(false)
  const { pause, trigger } = useScheduleChanges()
  const { viewerCan, enabled } = schedule
  return (
    <header className="page-head">
      <h1 className="foreign">
        <Link href="/schedules">Schedules</Link> / {schedule.name}
      </h1>
      {!enabled && <Badge tone="warn">paused</Badge>}
      <CopyId id={schedule.id} />
      {viewerCan.trigger && (
        <Button icon="play" onClick={() => void trigger(schedule)}>
          Trigger
        </Button>
      )}
      {viewerCan.update && (
        <>
          <Button icon={enabled ? 'pause' : 'play'} onClick={() => void pause(schedule)}>
            {enabled ? 'Pause' : 'Go on'}
          </Button>
          <Button icon="edit" onClick={() => setIsEdited(true)}>
            Edit
          </Button>
        </>
      )}
      {viewerCan.delete && (
        <Button kind="danger" icon="trash" onClick={() => setIsDeleted(true)}>
          Delete
        </Button>
      )}
      {isEdited && <ScheduleForm schedule={schedule} onClose={() => setIsEdited(false)} />}
      {isDeleted && <DeleteDialog schedule={schedule} onClose={() => setIsDeleted(false)} />}
    </header>
  )
}

function DeleteDialog({ schedule, onClose }: { readonly schedule: ScheduleRowFragment; readonly onClose: () => void }) {
  const { remove } = useScheduleChanges()
  const deleteIt = async (): Promise<void> => {
    if (await remove(schedule)) goTo('/schedules')
  }
  const actions = (
    <>
      <Button onClick={onClose}>Keep it</Button>
      <Button type="submit" kind="danger">
        Delete it
      </Button>
    </>
  )
  return (
    <Dialog title="Delete this schedule?" isOpen onClose={onClose} onSubmit={() => void deleteIt()} actions={actions}>
      <p>It will not run again, and its list of runs is deleted. The sessions that it wrote to are kept.</p>
    </Dialog>
  )
}

function RunRow({ run }: { readonly run: Run }) {
  return (
    <article className="pick-row" tabIndex={0} aria-label={`Run: ${run.status.toLowerCase()}`}>
      <div className="pick-body">
        <div className="pick-line">
          <Status status={run.status} />
          <Time at={run.startedAt} />
          {run.triggered && <Badge>triggered</Badge>}
          {run.turn?.durationMs != null && (
            <span className="faint small">
              <Duration ms={run.turn.durationMs} />
            </span>
          )}
          {run.session !== null && (
            <Link href={`/sessions/${encodeURIComponent(run.session.id)}`} className="push">
              Session
            </Link>
          )}
        </div>
        {run.failure !== null && <p className="foreign schedule-problem">{run.failure}</p>}
        {run.turn?.answer != null && <p className="foreign schedule-content">{run.turn.answer.content}</p>}
      </div>
    </article>
  )
}
