/**
 * Schedules as people create, change, delete and trigger them. Each edit is one transaction on the schedule's locked
 * row, with its audit entry; the `version` counts up, so that the Scheduler (schedule-runs.ts) sees that what it has
 * read is no longer so.
 */
import type { ConfigChange } from '../../core/audit-entry.ts'
import { notFound, type Refusal } from '../../core/refusal.ts'
import type { Prisma, Schedule } from '../../generated/prisma/client.ts'
import { newId } from '../../platform/id.ts'
import type { Database } from '../database.ts'
import { toAppError } from '../to-app-error.ts'
import type { NewRun } from './schedule-runs.ts'

/** The row of a schedule; times in UTC. */
export type StoredSchedule = Schedule

/** Who edits, and when. */
export interface ScheduleEditor {
  readonly userName: string | null
  readonly tokenName: string
  /** May reach the schedules of all users, not just `userName`'s. */
  readonly all: boolean
  readonly at: Date
}

/**
 * What its user decides of a schedule, and `nextRunAt`, which follows from that: null when it is not to fire any more.
 */
export type ScheduleFields = Pick<
  StoredSchedule,
  'name' | 'content' | 'cron' | 'runAt' | 'timeZone' | 'mode' | 'enabled' | 'nextRunAt'
>

/** Null: the user has `limit` schedules already. */
export function insertSchedule(
  database: Database,
  editor: ScheduleEditor & { readonly userName: string },
  { id, fields, limit }: { readonly id: string; readonly fields: ScheduleFields; readonly limit: number },
): Promise<string | null> {
  const { userName, tokenName, at } = editor
  return inTransaction(database, async (transaction) => {
    await transaction.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${`schedules of ${userName}`}, 0))`
    if ((await transaction.schedule.count({ where: { userName } })) >= limit) return null
    await transaction.schedule.create({ data: { ...fields, id, userName, tokenName, createdAt: at, updatedAt: at } })
    await recordEdit(transaction, editor, { change: 'SCHEDULE_CREATED', schedule: { id, name: fields.name, userName } })
    return id
  })
}

/** What an edit changes; `failures` and the like start anew with a new plan. */
export type SchedulePatch = Partial<ScheduleFields & Pick<StoredSchedule, 'failures' | 'lastError' | 'pausedReason'>>

/** `decide` sees the schedule as it is, locked. */
export function patchSchedule(
  database: Database,
  { id, editor }: ScheduleTarget,
  decide: (schedule: StoredSchedule) => SchedulePatch | Refusal,
): Promise<StoredSchedule | Refusal> {
  return inTransaction(database, async (transaction) => {
    const schedule = await lockSchedule(transaction, { id, editor })
    if (schedule === null) return notFound('schedule', id)
    const patch = decide(schedule)
    if ('kind' in patch) return patch
    const data = { ...patch, version: schedule.version + 1, updatedAt: editor.at }
    const { name } = await transaction.schedule.update({ where: { id }, data, select: { name: true } })
    await recordEdit(transaction, editor, { change: 'SCHEDULE_UPDATED', schedule: { ...schedule, name } })
    return schedule
  })
}

/** With its runs. */
export function removeSchedule(database: Database, { id, editor }: ScheduleTarget): Promise<StoredSchedule | Refusal> {
  return inTransaction(database, async (transaction) => {
    const schedule = await lockSchedule(transaction, { id, editor })
    if (schedule === null) return notFound('schedule', id)
    await transaction.schedule.delete({ where: { id } })
    await recordEdit(transaction, editor, { change: 'SCHEDULE_DELETED', schedule })
    return schedule
  })
}

/** Opens a run that a caller has triggered, unless `decide` refuses it; returns the schedule with its new version. */
export function openManualRun(
  database: Database,
  { id, editor }: ScheduleTarget,
  decide: (schedule: StoredSchedule, openRunId: string | null) => NewRun | Refusal,
): Promise<{ readonly schedule: StoredSchedule; readonly run: NewRun } | Refusal> {
  return inTransaction(database, async (transaction) => {
    const locked = await lockSchedule(transaction, { id, editor })
    if (locked === null) return notFound('schedule', id)
    const open = await transaction.scheduleRun.findFirst({
      where: { scheduleId: id, status: 'RUNNING' },
      select: { id: true },
    })
    const run = decide(locked, open?.id ?? null)
    if ('kind' in run) return run
    // The run before may have ended while this waited for the schedule.
    const [before] = await transaction.$queryRaw<{ finishedAt: Date | null }[]>`
      SELECT max(finished_at) AS "finishedAt" FROM schedule_runs WHERE schedule_id = ${id}`
    const startedAt = new Date(Math.max(run.at.getTime(), before?.finishedAt?.getTime() ?? 0))
    const schedule = await transaction.schedule.update({ where: { id }, data: { version: locked.version + 1 } })
    const { at: _, ...columns } = run
    await transaction.scheduleRun.create({ data: { ...columns, scheduleId: id, status: 'RUNNING', startedAt } })
    await recordEdit(transaction, editor, { change: 'SCHEDULE_TRIGGERED', schedule })
    return { schedule, run }
  })
}

interface ScheduleTarget {
  readonly id: string
  readonly editor: ScheduleEditor
}

type Transaction = Prisma.TransactionClient

async function inTransaction<Result>(
  database: Database,
  edit: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  try {
    return await database.prisma.$transaction(edit)
  } catch (error) {
    throw toAppError(error)
  }
}

/** Null: there is none that the editor may reach. */
async function lockSchedule(transaction: Transaction, { id, editor }: ScheduleTarget): Promise<StoredSchedule | null> {
  await transaction.$queryRaw`SELECT 1 FROM schedules WHERE id = ${id} FOR UPDATE`
  const schedule = await transaction.schedule.findUnique({ where: { id } })
  return schedule !== null && reachesSchedule(editor, schedule) ? schedule : null
}

/** Whether the editor may see, change, delete and trigger it. */
export function reachesSchedule(
  editor: Pick<ScheduleEditor, 'all' | 'userName'>,
  { userName }: Pick<StoredSchedule, 'userName'>,
): boolean {
  return editor.all || userName === editor.userName
}

interface RecordedEdit {
  readonly change: Extract<ConfigChange, `SCHEDULE_${string}`>
  readonly schedule: Pick<StoredSchedule, 'id' | 'name' | 'userName'>
}

async function recordEdit(
  transaction: Transaction,
  { at, userName: actor, tokenName }: ScheduleEditor,
  { change, schedule }: RecordedEdit,
): Promise<void> {
  const detail = `${schedule.id} "${schedule.name}" of ${schedule.userName}`
  const data = { change, detail }
  await transaction.auditEntry.create({
    data: { id: newId('audit'), at, kind: 'CONFIG', sessionId: null, turnId: null, actor, tokenName, data },
  })
}
