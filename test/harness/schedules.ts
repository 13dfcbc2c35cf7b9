/**
 * Schedules as clients handle them, for stories: what must be accepted, and waiting for what the clock brings about.
 */
import pg from 'pg'
import { systemClock } from '../../src/platform/clock.ts'
import {
  CreateScheduleDocument,
  ScheduleRunsDocument,
  UpdateScheduleDocument,
  type CreateScheduleInput,
  type ScheduleFieldsFragment,
  type ScheduleRunsQuery,
  type UpdateScheduleInput,
} from '../generated/graphql.ts'
import type { ApiClient } from './api-client.ts'

type ShownSchedule = Extract<NonNullable<ScheduleRunsQuery['node']>, { __typename: 'Schedule' }>

export type ShownRun = ShownSchedule['runs']['edges'][number]['node']

/** With its runs, newest first. */
export interface Schedule extends Omit<ShownSchedule, 'runs'> {
  readonly runs: readonly ShownRun[]
}

/** Creates a schedule that must be accepted. */
export async function schedule(
  client: ApiClient,
  input: Partial<CreateScheduleInput> & Pick<CreateScheduleInput, 'content'>,
): Promise<ScheduleFieldsFragment> {
  const { createSchedule } = await client.run(CreateScheduleDocument, { input: { name: 'A schedule', ...input } })
  if (createSchedule.__typename !== 'CreateSchedulePayload')
    throw new Error(`refused: ${JSON.stringify(createSchedule)}`)
  return createSchedule.schedule
}

/** Changes a schedule; it must be accepted. */
export async function reschedule(client: ApiClient, input: UpdateScheduleInput): Promise<ScheduleFieldsFragment> {
  const { updateSchedule } = await client.run(UpdateScheduleDocument, { input })
  if (updateSchedule.__typename !== 'UpdateSchedulePayload')
    throw new Error(`refused: ${JSON.stringify(updateSchedule)}`)
  return updateSchedule.schedule
}

export async function readSchedule(client: ApiClient, id: string): Promise<Schedule> {
  const { node } = await client.run(ScheduleRunsDocument, { id, first: 100 })
  if (node?.__typename !== 'Schedule') throw new Error(`there is no schedule ${id}`)
  return { ...node, runs: node.runs.edges.map((edge) => edge.node) }
}

/** Polls until `holds` is true of the schedule, and goes on being so. The test's time limit ends the wait. */
export async function untilSchedule(
  client: ApiClient,
  id: string,
  holds: (schedule: Schedule) => boolean,
): Promise<Schedule> {
  for (;;) {
    // Read again: a query reads the schedule before its runs, and may have seen it as it was before.
    if (holds(await readSchedule(client, id))) return readSchedule(client, id)
    await systemClock.sleep(200)
  }
}

/** Seconds from now. */
export function soon(seconds: number): string {
  return new Date(systemClock.now().getTime() + seconds * 1000).toISOString()
}

/** As if it were three hours after the schedules were due, and nobody had been there meanwhile. */
export async function passTime(databaseUrl: string, ids: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const text = `UPDATE schedules SET next_run_at = now() - interval '3 hours', version = version + 1 WHERE id = ANY ($1)`
    await client.query(text, [ids])
  } finally {
    await client.end()
  }
}
