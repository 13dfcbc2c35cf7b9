/** A new schedule, or a changed one. When a cron expression fires next is shown while it is typed. */
import { useDeferredValue, useState } from 'react'
import { useChange } from '../../data/use-change.ts'
import { useRead } from '../../data/use-read.ts'
import {
  CreateScheduleDocument,
  CronFiringsDocument,
  ScheduleRunsDocument,
  SchedulesDocument,
  UpdateScheduleDocument,
  type ScheduleMode,
  type ScheduleRowFragment,
} from '../../generated/graphql.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Dialog } from '../../ui/controls/dialog.tsx'
import { CheckField, SelectField, TextAreaField, TextField } from '../../ui/controls/field.tsx'
import { firingText } from './timing-text.ts'

interface ScheduleFormProps {
  /** Null: a new one. */
  readonly schedule: ScheduleRowFragment | null
  readonly onClose: () => void
}

interface Draft {
  readonly name: string
  readonly content: string
  readonly isOnce: boolean
  readonly cron: string
  /** As the field of the browser has it, in local time. */
  readonly runAt: string
  readonly timeZone: string
  readonly mode: ScheduleMode
  readonly enabled: boolean
}

const LISTS = [SchedulesDocument, ScheduleRunsDocument]

export function ScheduleForm({ schedule, onClose }: ScheduleFormProps) {
  const [draft, setDraft] = useState(() => draftOf(schedule))
  const change = (part: Partial<Draft>): void => setDraft((before) => ({ ...before, ...part }))
  const create = useChange(CreateScheduleDocument, (data) => data.createSchedule, LISTS)
  const update = useChange(UpdateScheduleDocument, (data) => data.updateSchedule, LISTS)
  const save = async (): Promise<void> => {
    const { name, content, mode, enabled } = draft
    const input = { name, content, mode, enabled, ...timingOf(draft, schedule) }
    const saved =
      schedule === null ? await create.send({ input }) : await update.send({ input: { id: schedule.id, ...input } })
    if (saved !== null) onClose()
  }
  const isReady = draft.name.trim() !== '' && draft.content.trim() !== '' && (!draft.isOnce || draft.runAt !== '')
  const actions = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button type="submit" kind="main" disabled={!isReady} isBusy={create.isSending || update.isSending}>
        {schedule === null ? 'Create' : 'Save'}
      </Button>
    </>
  )
  const title = schedule === null ? 'New schedule' : 'Edit the schedule'
  return (
    <Dialog title={title} isOpen onClose={onClose} onSubmit={() => void save()} actions={actions}>
      <ScheduleFields draft={draft} change={change} />
    </Dialog>
  )
}

interface FieldsProps {
  readonly draft: Draft
  readonly change: (part: Partial<Draft>) => void
}

function ScheduleFields({ draft, change }: FieldsProps) {
  return (
    <>
      <TextField
        label="Name"
        autoFocus
        maxLength={255}
        value={draft.name}
        onChange={(event) => change({ name: event.target.value })}
      />
      <TextAreaField
        label="Message that is sent"
        value={draft.content}
        onChange={(event) => change({ content: event.target.value })}
      />
      <SelectField
        label="When"
        value={draft.isOnce ? 'once' : 'cron'}
        onChange={(event) => change({ isOnce: event.target.value === 'once' })}
      >
        <option value="cron">Again and again (cron)</option>
        <option value="once">Once</option>
      </SelectField>
      {draft.isOnce ? (
        <TextField
          label="At (your time)"
          type="datetime-local"
          value={draft.runAt}
          onChange={(event) => change({ runAt: event.target.value })}
        />
      ) : (
        <CronFields draft={draft} change={change} />
      )}
      <SelectField
        label="Into"
        value={draft.mode}
        onChange={(event) => change({ mode: event.target.value as ScheduleMode })}
      >
        <option value="DEDICATED">One session for all runs: each knows what came before</option>
        <option value="FRESH">A new session each time</option>
      </SelectField>
      <CheckField
        label="Enabled"
        hint="When off, it runs only when it is triggered."
        checked={draft.enabled}
        onChange={(event) => change({ enabled: event.target.checked })}
      />
    </>
  )
}

function CronFields({ draft, change }: FieldsProps) {
  const cron = useDeferredValue(draft.cron.trim())
  const timeZone = useDeferredValue(draft.timeZone.trim())
  const { data } = useRead(CronFiringsDocument, { cron, timeZone }, { keepPrevious: true, enabled: cron !== '' })
  const problem = cron === '' ? null : (data?.cronFirings.problem ?? null)
  const isZone = problem?.startsWith('The time zone') === true
  return (
    <>
      <TextField
        label="Cron expression"
        hint="Minute, hour, day of the month, month, day of the week: 0 9 * * MON-FRI"
        spellCheck={false}
        autoComplete="off"
        error={isZone ? null : problem}
        value={draft.cron}
        onChange={(event) => change({ cron: event.target.value })}
      />
      <TextField
        label="Time zone"
        spellCheck={false}
        list="time-zones"
        error={isZone ? problem : null}
        value={draft.timeZone}
        onChange={(event) => change({ timeZone: event.target.value })}
      />
      <datalist id="time-zones">
        {Intl.supportedValuesOf('timeZone').map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
      {cron !== '' && problem === null && data !== undefined && (
        <div aria-live="polite">
          <div className="field-label">Fires next</div>
          <ol className="schedule-firings">
            {data.cronFirings.firesAt.map((at) => (
              <li key={at}>{firingText(at, timeZone)}</li>
            ))}
          </ol>
        </div>
      )}
    </>
  )
}

function draftOf(schedule: ScheduleRowFragment | null): Draft {
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone
  if (schedule === null)
    return {
      name: '',
      content: '',
      isOnce: false,
      cron: '0 9 * * MON-FRI',
      runAt: '',
      timeZone: here,
      mode: 'DEDICATED',
      enabled: true,
    }
  const { name, content, cron, runAt, timeZone, mode, enabled } = schedule
  return {
    name,
    content,
    timeZone,
    mode,
    enabled,
    isOnce: cron === null,
    cron: cron ?? '',
    runAt: runAt === null ? '' : localText(new Date(runAt)),
  }
}

/** Only what has changed of the time: a new one makes a schedule count from now. */
function timingOf(draft: Draft, schedule: ScheduleRowFragment | null) {
  const before = schedule === null ? null : draftOf(schedule)
  // For a single run, too: its session goes by it, and agents are told times in it.
  const timeZone = draft.timeZone.trim()
  if (draft.isOnce) {
    const isSame = before?.isOnce === true && before.runAt === draft.runAt
    return isSame ? {} : { runAt: new Date(draft.runAt).toISOString(), timeZone }
  }
  const isSame = before?.isOnce === false && before.cron === draft.cron && before.timeZone === draft.timeZone
  return isSame ? {} : { cron: draft.cron.trim(), timeZone }
}

function localText(at: Date): string {
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
