/** What people do with schedules: create, change, delete and trigger them, and what is refused to whom. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSchedule, MAX_SCHEDULES } from '../../src/schedules/create-schedule.ts'
import { deleteSchedule } from '../../src/schedules/delete-schedule.ts'
import { triggerSchedule } from '../../src/schedules/trigger-schedule.ts'
import { updateSchedule, type UpdateScheduleInput } from '../../src/schedules/update-schedule.ts'
import { createWorld, SECRET, type World } from '../intake/intake-world.ts'
import { addSchedule, messagesIn, rowOf } from './schedule-world.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

const GOOD = { name: 'Daily', content: 'Good morning', cron: '0 9 * * *' } as const
const CHANGED = { kind: 'ScheduleChanged' }

function update(input: UpdateScheduleInput, as: 'alice' | 'bob' | 'carol' = 'bob'): ReturnType<typeof updateSchedule> {
  return updateSchedule(world.context, world.as(as), input)
}

describe('created', () => {
  test('it is planned, or not when it is not enabled; what is secret is not stored', async () => {
    const id = await addSchedule(world, { content: `Log in with ${SECRET}`, timeZone: 'Asia/Tokyo' })
    const { next_run_at, ...row } = await rowOf(world, id)
    expect(row).toMatchObject({ enabled: true, content: 'Log in with [REDACTED]', failures: 0, runs: [] })
    expect(next_run_at?.toISOString()).toMatch(/T00:00:00\.000Z$/)
    const later = await addSchedule(world, { enabled: false })
    expect(await rowOf(world, later)).toMatchObject({ enabled: false, next_run_at: null })
  })

  test('everything that is wrong is told at once', async () => {
    const input = { name: '', content: '', cron: '0 25 * * *', timeZone: 'Europe/Berlim' }
    expect(await createSchedule(world.context, world.as('bob'), input)).toMatchObject({
      kind: 'InvalidInput',
      issues: [{ path: ['name'] }, { path: ['content'] }, { path: ['timeZone'] }, { path: ['cron'] }],
    })
  })

  test('a connector has none', async () => {
    const refused = await createSchedule(world.context, world.as('hub'), GOOD)
    expect(refused).toMatchObject({
      kind: 'InvalidInput',
      message: expect.stringContaining('Use the token of a user.'),
    })
  })

  test('a user has a hundred at most, however many are created at once', async () => {
    const create = () => createSchedule(world.context, world.as('carol'), GOOD)
    await world.sql(
      `INSERT INTO schedules (id, user_name, token_name, name, content, cron, time_zone, mode, enabled, created_at, updated_at)
       SELECT 'sched_' || n, 'carol', 'carol', 'x', 'x', '* * * * *', 'UTC', 'FRESH', false, now(), now()
       FROM generate_series(3, $1) n`,
      MAX_SCHEDULES,
    )
    const results = await Promise.all([create(), create(), create(), create()])
    const kinds = results.map(({ kind }) => kind).sort()
    expect(kinds).toEqual(['LimitExceeded', 'LimitExceeded', 'ScheduleChanged', 'ScheduleChanged'])
    expect(results.find(({ kind }) => kind === 'LimitExceeded')).toMatchObject({
      limit: MAX_SCHEDULES,
      message: '"carol" has 100 schedules already, which is the limit. Delete one that is not needed.',
    })
  })
})

describe('changed', () => {
  test('what is left out stays, and the plan with it', async () => {
    const id = await addSchedule(world)
    const before = await rowOf(world, id)
    expect(await update({ id, name: 'Other', content: 'Good evening' })).toMatchObject(CHANGED)
    expect(await rowOf(world, id)).toMatchObject({
      content: 'Good evening',
      next_run_at: before.next_run_at,
      version: before.version + 1,
    })
  })

  test('another time counts from now and forgets failures; one kind of time replaces the other', async () => {
    const id = await addSchedule(world)
    await world.sql(`UPDATE schedules SET failures = 3, last_error = 'x', next_run_at = now() WHERE id = $1`, id)
    const runAt = new Date(Date.now() + 3_600_000)
    expect(await update({ id, runAt })).toMatchObject(CHANGED)
    const once = { cron: null, run_at: runAt, next_run_at: runAt, failures: 0, last_error: null }
    expect(await rowOf(world, id)).toMatchObject(once)
    expect(await update({ id, cron: '0 0 1 1 *' })).toMatchObject(CHANGED)
    expect(await rowOf(world, id)).toMatchObject({ cron: '0 0 1 1 *', run_at: null })
  })

  test('taken out of use it is not planned; enabled again it counts from now', async () => {
    const id = await addSchedule(world)
    const { next_run_at } = await rowOf(world, id)
    await update({ id, enabled: false })
    expect(await rowOf(world, id)).toMatchObject({ enabled: false, next_run_at: null })
    await update({ id, enabled: true })
    expect(await rowOf(world, id)).toMatchObject({ enabled: true, next_run_at })
  })

  test('a single run whose time is over is not enabled again without another time', async () => {
    const id = await addSchedule(world, { cron: null, runAt: new Date(Date.now() + 3_600_000) })
    await world.sql(
      `UPDATE schedules SET run_at = now() - interval '1 hour', enabled = false, next_run_at = NULL WHERE id = $1`,
      id,
    )
    expect(await update({ id, enabled: true })).toMatchObject({
      kind: 'InvalidInput',
      message: 'runAt: must be given anew, or "cron" in its place: the time of this schedule is over',
    })
    expect(await update({ id, enabled: true, runAt: new Date(0) })).toMatchObject({
      message: 'runAt: must lie in the future',
    })
    expect(await update({ id, enabled: false })).toMatchObject(CHANGED)
  })

  test('a single run whose time is over is taken out of use by all that is known of it, too', async () => {
    const id = await addSchedule(world, { cron: null, runAt: new Date(Date.now() + 3_600_000) })
    const [over] = await world.sql<{ runAt: Date }>(
      `UPDATE schedules SET run_at = now() - interval '1 hour', next_run_at = NULL, last_error = 'x' WHERE id = $1
       RETURNING run_at AS "runAt"`,
      id,
    )
    expect(await update({ id, name: 'Over', ...over, timeZone: 'UTC', enabled: false })).toMatchObject(CHANGED)
    expect(await rowOf(world, id)).toMatchObject({ enabled: false, next_run_at: null, last_error: 'x' })
  })

  test('what is wrong is refused, and nothing changes', async () => {
    const id = await addSchedule(world)
    const before = await rowOf(world, id)
    const both = { id, cron: '0 9 * * *', runAt: new Date(Date.now() + 1000) }
    for (const input of [{ id, cron: 'x' }, { id, name: '' }, { id, content: '' }, { id, timeZone: 'Mars' }, both]) {
      expect(await update(input)).toMatchObject({ kind: 'InvalidInput' })
    }
    expect(await rowOf(world, id)).toEqual(before)
  })
})

describe('triggered', () => {
  test('it runs at once as its user, also when it is not enabled, whichever user sets it off; one run at a time', async () => {
    const id = await addSchedule(world, { enabled: false })
    const triggered = await triggerSchedule(world.context, world.as('alice'), id)
    expect(triggered).toMatchObject({ kind: 'ScheduleTriggered' })
    expect(
      await world.sql('SELECT user_name, trusted, status FROM messages WHERE session_id = $1', `schedule:${id}`),
    ).toEqual([{ user_name: 'bob', trusted: true, status: 'QUEUED' }])
    const again = await triggerSchedule(world.context, world.as('bob'), id)
    expect(again).toMatchObject({
      kind: 'Conflict',
      message: expect.stringMatching(/runs already \(run_.*once at a time\./),
    })
    const row = await rowOf(world, id)
    expect(row).toMatchObject({ enabled: false, next_run_at: null, runs: [{ status: 'RUNNING', manual: true }] })
    expect(row.runs).toHaveLength(1)
  })

  test('by many at once, it runs once', async () => {
    const id = await addSchedule(world, { mode: 'FRESH' })
    const all = await Promise.all(Array.from({ length: 6 }, () => triggerSchedule(world.context, world.as('bob'), id)))
    expect(all.filter(({ kind }) => kind === 'ScheduleTriggered')).toHaveLength(1)
    const { runs } = await rowOf(world, id)
    expect(runs).toHaveLength(1)
    expect(await messagesIn(world, runs[0]?.session_id ?? '')).toHaveLength(1)
  })
})

test('deleted, it is gone with its runs; what it began stays', async () => {
  const id = await addSchedule(world)
  await triggerSchedule(world.context, world.as('bob'), id)
  expect(await deleteSchedule(world.context, world.as('bob'), id)).toEqual({ kind: 'ScheduleDeleted', scheduleId: id })
  expect(await world.sql('SELECT 1 FROM schedule_runs WHERE schedule_id = $1', id)).toEqual([])
  expect(await messagesIn(world, `schedule:${id}`)).toHaveLength(1)
  expect(await deleteSchedule(world.context, world.as('bob'), id)).toMatchObject({ kind: 'NotFound' })
})

test("another user's schedule looks absent to users and connectors; admins may do everything with it", async () => {
  const id = await addSchedule(world)
  const before = await rowOf(world, id)
  for (const name of ['carol', 'hub', 'discord'] as const) {
    const absent = { kind: 'NotFound', message: `There is no schedule "${id}" that you may see.`, id }
    const viewer = world.as(name)
    expect(await updateSchedule(world.context, viewer, { id, name: 'Mine' })).toEqual(absent)
    expect(await triggerSchedule(world.context, viewer, id)).toEqual(absent)
    expect(await deleteSchedule(world.context, viewer, id)).toEqual(absent)
    const unknown = await deleteSchedule(world.context, viewer, 'sched_unknown')
    expect(unknown).toEqual({ ...absent, id: 'sched_unknown', message: absent.message.replace(id, 'sched_unknown') })
  }
  expect(await rowOf(world, id)).toEqual(before)
  expect(await update({ id, name: 'Ours' }, 'alice')).toMatchObject(CHANGED)
  expect(await deleteSchedule(world.context, world.as('alice'), id)).toMatchObject({ kind: 'ScheduleDeleted' })
})

test('what is done to a schedule stands in the audit', async () => {
  const id = await addSchedule(world, { name: `About ${SECRET}` })
  await update({ id, name: 'Renamed' }, 'alice')
  await triggerSchedule(world.context, world.as('bob'), id)
  await deleteSchedule(world.context, world.as('bob'), id)
  const entries = await world.sql(
    `SELECT kind, actor, token_name, data FROM audit_entries WHERE data->>'detail' LIKE $1 || '%' ORDER BY id`,
    id,
  )
  const entry = (actor: string, change: string, name: string) => ({
    kind: 'CONFIG',
    actor,
    token_name: actor,
    data: { change, detail: `${id} "${name}" of bob` },
  })
  expect(entries).toEqual([
    entry('bob', 'SCHEDULE_CREATED', 'About [REDACTED]'),
    entry('alice', 'SCHEDULE_UPDATED', 'Renamed'),
    entry('bob', 'SCHEDULE_TRIGGERED', 'Renamed'),
    entry('bob', 'SCHEDULE_DELETED', 'Renamed'),
  ])
})
