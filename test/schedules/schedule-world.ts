/**
 * What the tests of schedules do to the world of intake: let time pass, run the Scheduler, and read what it left.
 */
import type { IntakeContext } from '../../src/intake/intake-context.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { createSchedule, type CreateScheduleInput } from '../../src/schedules/create-schedule.ts'
import { Scheduler, type SchedulerOptions } from '../../src/schedules/scheduler.ts'
import type { World } from '../intake/intake-world.ts'

/** Creates a schedule of bob's that must be accepted. */
export async function addSchedule(
  world: World,
  input: Partial<CreateScheduleInput> = {},
  as: 'alice' | 'bob' = 'bob',
): Promise<string> {
  const given = { name: 'A schedule', content: 'Good morning', cron: '0 9 * * *', ...input }
  const created = await createSchedule(world.context, world.as(as), given)
  if (created.kind !== 'ScheduleChanged') throw new Error(JSON.stringify(created))
  return created.scheduleId
}

/** As if the schedule had been due so long ago, and nobody there. */
export async function makeDue(world: World, id: string, ago = '3 hours'): Promise<void> {
  await world.sql(
    `UPDATE schedules SET next_run_at = now() - $2::interval, run_at = CASE WHEN run_at IS NOT NULL THEN now() - $2::interval END,
       version = version + 1 WHERE id = $1`,
    id,
    ago,
  )
}

/** A Scheduler that polls often. */
export function startScheduler(
  world: World,
  options: Partial<SchedulerOptions> & { readonly intake?: IntakeContext } = {},
): AsyncDisposable {
  const logger = createLogger({ level: 'silent', pretty: false })
  const scheduler = new Scheduler({
    intake: world.context,
    clock: systemClock,
    logger,
    timing: { schedulePollMs: 10 },
    ...options,
  })
  scheduler.start()
  return { [Symbol.asyncDispose]: () => scheduler.stop() }
}

export interface RunRow {
  readonly id: string
  readonly status: string
  readonly manual: boolean
  readonly session_id: string | null
  readonly message_id: string | null
  readonly failure: string | null
}

export interface ScheduleRow {
  readonly enabled: boolean
  readonly paused_reason: string | null
  readonly next_run_at: Date | null
  readonly failures: number
  readonly last_error: string | null
  readonly content: string
  readonly version: number
  /** Oldest first. */
  readonly runs: readonly RunRow[]
}

/** Schedule and runs as they are at one moment. */
export async function rowOf(world: World, id: string): Promise<ScheduleRow> {
  const [row] = await world.sql<ScheduleRow>(
    `SELECT s.*, (SELECT coalesce(json_agg(r ORDER BY r.id), '[]') FROM schedule_runs r WHERE r.schedule_id = s.id) AS runs
     FROM schedules s WHERE s.id = $1`,
    id,
  )
  if (row === undefined) throw new Error(`there is no schedule ${id}`)
  return row
}

/** Polls until `holds`; the test's time limit ends the wait. */
export async function until(world: World, id: string, holds: (schedule: ScheduleRow) => boolean): Promise<ScheduleRow> {
  for (;;) {
    const row = await rowOf(world, id)
    if (holds(row)) return row
    await systemClock.sleep(5)
  }
}

/** The statuses of its runs, oldest first. */
export function statusesOf({ runs }: ScheduleRow): string {
  return runs.map(({ status }) => status).join(' ')
}

export async function messagesIn(world: World, sessionId: string): Promise<{ id: string; content: string }[]> {
  return world.sql('SELECT id, content FROM messages WHERE session_id = $1 ORDER BY seq', sessionId)
}

/** The session has this many messages: a run is a row before its message is one. */
export async function untilMessages(world: World, sessionId: string | null | undefined, count: number): Promise<void> {
  while ((await messagesIn(world, sessionId ?? '')).length < count) await systemClock.sleep(5)
}
