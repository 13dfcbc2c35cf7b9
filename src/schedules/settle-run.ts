/**
 * A run that is open is checked: has its turn ended? Then the run has, and the schedule is planned anew. Was its
 * message never sent, because a process died in between? Then it is sent now. Called by the Scheduler.
 */
import type { IntakeContext } from '../intake/intake-context.ts'
import { settleRun, type OpenRun } from '../store/schedules/schedule-runs.ts'
import { afterRun, type EndedRun } from './after-run.ts'
import { sendRun } from './send-run.ts'

export interface SettleOptions {
  readonly intake: IntakeContext
  readonly pausesMs?: readonly number[] | undefined
}

export async function settleOpenRun(options: SettleOptions, open: OpenRun): Promise<void> {
  const ended = endOf(open)
  if (ended !== null) return settle(options, open, ended)
  const failure = await sendRun(options.intake, open.schedule, open)
  if (failure !== null) await settleFailedRun(options, open, failure)
}

type FailedRun = Pick<OpenRun, 'runId' | 'schedule'> & { readonly manual: boolean }

/** Its message cannot be sent. */
export async function settleFailedRun(options: SettleOptions, run: FailedRun, failure: string): Promise<void> {
  await settle(options, run, { outcome: 'FAILED', manual: run.manual, failure, at: options.intake.clock.now() })
}

/** Null: its message is not there yet. */
function endOf({ messageStatus, sent, manual, turnFailure, finishedAt, now }: OpenRun): EndedRun | null {
  const at = finishedAt ?? now
  if (messageStatus === 'DONE') return { outcome: 'DONE', manual, failure: null, at }
  if (messageStatus === 'CANCELLED')
    return { outcome: 'CANCELLED', manual, at, failure: turnFailure ?? 'It was cancelled.' }
  if (messageStatus === 'FAILED') return { outcome: 'FAILED', manual, at, failure: turnFailure ?? 'Its turn failed.' }
  // Only what has ended can be deleted: nothing is to be tried again.
  return sent ? { outcome: 'CANCELLED', manual, at, failure: 'Its session was deleted.' } : null
}

/** Does nothing when the schedule was changed meanwhile: the next poll reads its new row. */
async function settle(
  { intake, pausesMs }: SettleOptions,
  { runId, schedule }: Pick<OpenRun, 'runId' | 'schedule'>,
  ended: EndedRun,
): Promise<void> {
  const status = ended.outcome === 'DONE' ? 'DONE' : 'FAILED'
  const { failure, at: finishedAt } = ended
  const planned = afterRun(schedule, ended, pausesMs)
  await settleRun(intake.database, schedule, { runId, status, failure, finishedAt, ...planned })
  const { id, userName } = schedule
  intake.doorbell.ring({ kind: 'schedule', id, userName })
}
