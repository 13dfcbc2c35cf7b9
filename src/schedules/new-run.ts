/** A run that is about to be opened: its ids, and the session it fires into. */
import type { ScheduleMode } from '../core/status.ts'
import { newId } from '../platform/id.ts'
import type { NewRun } from '../store/schedules/schedule-runs.ts'

export function newRun(
  { id, mode }: { readonly id: string; readonly mode: ScheduleMode },
  when: Pick<NewRun, 'dueAt' | 'manual' | 'at'>,
): NewRun {
  const runId = newId('scheduleRun')
  return { id: runId, messageId: newId('message'), sessionId: sessionIdOf({ id, mode }, runId), ...when }
}

/** DEDICATED: "schedule:sched_…"; FRESH: "schedule:sched_….run_…". */
function sessionIdOf({ id, mode }: { readonly id: string; readonly mode: ScheduleMode }, runId: string): string {
  return mode === 'DEDICATED' ? `schedule:${id}` : `schedule:${id}.${runId}`
}
