/**
 * The Scheduler against a real database: what fires, once, whichever process dies when; and what becomes of a schedule
 * when a run has ended.
 */
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { FinalTurnStatus } from '../../src/core/status.ts'
import { retryTurn } from '../../src/intake/message/retry-turn.ts'
import { sendMessage } from '../../src/intake/message/send-message.ts'
import { newId } from '../../src/platform/id.ts'
import { must } from '../../src/platform/must.ts'
import { fireSchedule } from '../../src/schedules/fire-schedule.ts'
import { newRun } from '../../src/schedules/new-run.ts'
import { sendRun } from '../../src/schedules/send-run.ts'
import { triggerSchedule } from '../../src/schedules/trigger-schedule.ts'
import { updateSchedule } from '../../src/schedules/update-schedule.ts'
import { openRun, readDueSchedules } from '../../src/store/schedules/schedule-runs.ts'
import { createWorld, MAX_QUEUED, type World } from '../intake/intake-world.ts'
import {
  addSchedule,
  makeDue,
  messagesIn,
  rowOf,
  startScheduler,
  statusesOf,
  until,
  untilMessages,
} from './schedule-world.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

/** Runs the turn that waits in the session, to this end. */
async function runTurn(sessionId: string | null | undefined, status: FinalTurnStatus): Promise<void> {
  await must(await world.begin(sessionId ?? ''), 'a turn waits').end(status)
}

test('many that were missed for hours fire once each, however many processes poll', async () => {
  // Due again half an hour from now: each minute would come round while the test runs.
  const cron = `${(new Date().getUTCMinutes() + 30) % 60} * * * *`
  const ids: string[] = []
  // One by one: a transaction that waits long for its turn is given up.
  for (let n = 0; n < 40; n += 1) ids.push(await addSchedule(world, { cron }))
  for (const id of ids) await makeDue(world, id)
  await using _processes = await startAll(4)
  for (const id of ids) {
    const { runs, next_run_at } = await until(world, id, ({ runs }) => runs.length > 0)
    expect(runs).toMatchObject([{ status: 'RUNNING', manual: false, session_id: `schedule:${id}` }])
    expect(next_run_at?.getTime()).toBeGreaterThan(Date.now() - 60_000)
    await untilMessages(world, `schedule:${id}`, 1)
    expect(await messagesIn(world, `schedule:${id}`)).toMatchObject([{ id: runs[0]?.message_id }])
  }
  await world.sql('DELETE FROM schedules')
})

test('of two processes that have read the same schedule as due, one fires it', async () => {
  const id = await addSchedule(world)
  await makeDue(world, id)
  const read = await readDueSchedules(world.context.database, 100)
  const due = must(
    read.find((one) => one.id === id),
    'it is due',
  )
  const fired = await Promise.all([1, 2].map(() => fireSchedule({ intake: world.context }, due)))
  expect(fired.filter(Boolean)).toHaveLength(1)
  expect((await rowOf(world, id)).runs).toHaveLength(1)
  await world.sql('DELETE FROM schedules')
})

async function startAll(count: number): Promise<AsyncDisposableStack> {
  const stack = new AsyncDisposableStack()
  for (let n = 0; n < count; n += 1) stack.use(startScheduler(world))
  return stack
}

test('a process that died between opening a run and sending its message is made up for by another, once', async () => {
  const id = await addSchedule(world)
  await makeDue(world, id)
  const due = must(
    (await readDueSchedules(world.context.database, 100)).find((one) => one.id === id),
    'it is due',
  )
  const run = newRun(due, { dueAt: due.dueAt, at: due.now, manual: false })
  expect(await openRun(world.context.database, due, { run, nextRunAt: null })).toBe(true)
  expect(await messagesIn(world, run.sessionId)).toEqual([])

  await using _processes = await startAllImpatient(3)
  await untilMessages(world, run.sessionId, 1)
  await runTurn(run.sessionId, 'DONE')
  expect(statusesOf(await until(world, id, ({ runs }) => runs[0]?.status === 'DONE'))).toBe('DONE')
  expect(await messagesIn(world, run.sessionId)).toMatchObject([{ id: run.messageId }])
})

async function startAllImpatient(count: number): Promise<AsyncDisposableStack> {
  const stack = new AsyncDisposableStack()
  for (let n = 0; n < count; n += 1) stack.use(startScheduler(world, { unsentAfterMs: 0 }))
  return stack
}

test('a session that another transaction holds keeps no other schedule from firing', async () => {
  const [held, other] = [await addSchedule(world), await addSchedule(world)]
  await world.sql(
    `INSERT INTO sessions (id, source_kind, source_interactive) VALUES ($1, 'schedule', false)`,
    `schedule:${held}`,
  )
  await world.sql('INSERT INTO participants VALUES ($1, $2, now())', `schedule:${held}`, 'bob')
  const holding = new Client({ connectionString: world.context.database.url })
  await holding.connect()
  await holding.query('BEGIN')
  await holding.query('SELECT FROM sessions WHERE id = $1 FOR UPDATE', [`schedule:${held}`])
  await makeDue(world, held)
  const [due] = await readDueSchedules(world.context.database, 100)
  const read = must(due, 'it is due')
  const run = newRun(read, { dueAt: read.dueAt, at: read.now, manual: false })
  expect(await openRun(world.context.database, read, { run, nextRunAt: null })).toBe(true)
  await makeDue(world, other)
  await using _processes = await startAllImpatient(1)
  await until(world, other, ({ runs }) => runs.length > 0)
  expect(await messagesIn(world, run.sessionId)).toEqual([])
  await holding.end()
  await untilMessages(world, run.sessionId, 1)
  await world.sql('DELETE FROM schedules')
})

test('a run that is opened as the one before ends begins behind that', async () => {
  const id = await addSchedule(world)
  const earlier = new Date(Date.now() - 60_000)
  const last = await endedRun(id)
  await makeDue(world, id)
  const [due] = await readDueSchedules(world.context.database, 100)
  const read = must(due, 'it is due')
  const run = newRun(read, { dueAt: read.dueAt, at: earlier, manual: false })
  expect(await openRun(world.context.database, read, { run, nextRunAt: null })).toBe(true)
  expect(await startOf(run.id)).toEqual(last)
  await world.sql(`UPDATE schedule_runs SET status = 'DONE', finished_at = started_at WHERE id = $1`, run.id)
  const context = { ...world.context, clock: { ...world.context.clock, now: () => earlier } }
  const triggered = await triggerSchedule(context, world.as('bob'), id)
  expect(await startOf('runId' in triggered ? triggered.runId : '')).toEqual(last)
  await world.sql('DELETE FROM schedules')
})

/** When it ended. */
async function endedRun(id: string): Promise<unknown> {
  const [run] = await world.sql(
    `INSERT INTO schedule_runs (id, schedule_id, due_at, manual, status, started_at, finished_at)
      VALUES ($1, $2, now(), true, 'DONE', now(), now()) RETURNING finished_at`,
    newId('scheduleRun'),
    id,
  )
  return run?.['finished_at']
}

async function startOf(runId: string): Promise<unknown> {
  const [run] = await world.sql('SELECT started_at FROM schedule_runs WHERE id = $1', runId)
  return run?.['started_at']
}

test('a message that is sent twice at once, or again later, is there once', async () => {
  const id = await addSchedule(world)
  const { version } = await rowOf(world, id)
  const run = newRun({ id, mode: 'FRESH' }, { dueAt: new Date(), at: new Date(), manual: false })
  await openRun(world.context.database, { id, version }, { run, nextRunAt: null })
  const texts = { name: 'Morning', content: 'Good morning', timeZone: 'Europe/Rome' }
  const schedule = { id, userName: 'bob', tokenName: 'bob', ...texts }
  const sendOnce = (by = world): Promise<string | null> => sendRun(by.context, schedule, { ...run, runId: run.id })
  expect(await world.interleave(sendOnce, () => sendOnce())).toEqual([null, null])
  expect(await sendOnce()).toBeNull()
  expect(await messagesIn(world, run.sessionId)).toMatchObject([{ id: run.messageId }])
})

test('what comes due while a run is open is skipped and recorded; the next one fires when that has ended', async () => {
  const id = await addSchedule(world)
  await using _process = startScheduler(world)
  await makeDue(world, id)
  await until(world, id, ({ runs }) => runs.length === 1)
  await makeDue(world, id)
  const { runs } = await until(world, id, ({ runs }) => runs.length === 2)
  expect(runs).toMatchObject([
    { status: 'RUNNING' },
    { status: 'SKIPPED', failure: 'The run before it had not ended.', session_id: null },
  ])
  await runTurn(`schedule:${id}`, 'DONE')
  await until(world, id, ({ runs }) => runs[0]?.status === 'DONE')
  await makeDue(world, id)
  expect(statusesOf(await until(world, id, ({ runs }) => runs.length === 3))).toBe('DONE SKIPPED RUNNING')
})

test('a single run waits for one that a user has set off', async () => {
  const runAt = new Date(Date.now() + 3_600_000)
  const id = await addSchedule(world, { cron: null, runAt })
  await triggerSchedule(world.context, world.as('bob'), id)
  await makeDue(world, id)
  const fence = await addSchedule(world)
  await makeDue(world, fence, '1 second')
  await using _process = startScheduler(world)
  await until(world, fence, ({ runs }) => runs.length === 1)
  expect(statusesOf(await rowOf(world, id))).toBe('RUNNING')
  await runTurn(`schedule:${id}`, 'DONE')
  const { runs, next_run_at } = await until(world, id, ({ runs }) => runs.length === 2)
  expect(runs).toMatchObject([
    { status: 'DONE', manual: true },
    { status: 'RUNNING', manual: false },
  ])
  expect(next_run_at).toBeNull()
})

test('a run that fails is tried again after growing pauses, in fresh sessions; one that ends well forgets them', async () => {
  const id = await addSchedule(world, { mode: 'FRESH' })
  await using _process = startScheduler(world, { pausesMs: [1, 2, 3] })
  await makeDue(world, id)
  for (const [index, status] of (['FAILED', 'FAILED', 'FAILED', 'DONE'] as const).entries()) {
    const { runs, failures } = await until(world, id, ({ runs }) => runs[index]?.status === 'RUNNING')
    expect(failures).toBe(index)
    const { session_id } = must(runs[index], 'there is one more')
    await untilMessages(world, session_id, 1)
    await runTurn(session_id, status)
  }
  const after = await until(world, id, ({ runs }) => runs[3]?.status === 'DONE')
  expect(after).toMatchObject({ failures: 0, last_error: null })
  expect(after.next_run_at?.getTime()).toBeGreaterThan(Date.now())
  expect(new Set(after.runs.map(({ session_id }) => session_id)).size).toBe(4)
  expect(after.runs[0]).toMatchObject({
    session_id: `schedule:${id}.${after.runs[0]?.id}`,
    failure: 'Its turn failed.',
  })
})

test('when it was tried often enough, it waits for its regular time', async () => {
  const id = await addSchedule(world, { cron: '0 0 1 1 *' })
  await using _process = startScheduler(world, { pausesMs: [1] })
  await makeDue(world, id)
  for (const index of [0, 1]) {
    await until(world, id, ({ runs }) => runs[index]?.status === 'RUNNING')
    await untilMessages(world, `schedule:${id}`, index + 1)
    await runTurn(`schedule:${id}`, 'FAILED')
  }
  const { next_run_at, failures } = await until(world, id, ({ runs }) => runs[1]?.status === 'FAILED')
  expect(failures).toBe(2)
  expect(next_run_at?.toISOString().slice(4)).toBe('-01-01T00:00:00.000Z')
})

test('a single run that is given another time while it runs takes place then, too, when this run fails', async () => {
  const id = await addSchedule(world, { cron: null, runAt: new Date(Date.now() + 3_600_000) })
  await using _process = startScheduler(world, { pausesMs: [1, 1] })
  await makeDue(world, id)
  await until(world, id, ({ runs }) => runs.length === 1)
  await untilMessages(world, `schedule:${id}`, 1)
  const runAt = new Date(Date.now() + 7_200_000)
  expect(await updateSchedule(world.context, world.as('bob'), { id, runAt })).toMatchObject({ kind: 'ScheduleChanged' })
  await runTurn(`schedule:${id}`, 'FAILED')
  const after = await until(world, id, ({ runs }) => runs[0]?.status === 'FAILED')
  expect(after).toMatchObject({ failures: 1, last_error: 'Its turn failed.', next_run_at: runAt })
})

test('a run by hand that ends well takes the place of the try that a failed one had left', async () => {
  const id = await addSchedule(world, { cron: null, runAt: new Date(Date.now() + 3_600_000) })
  await using _process = startScheduler(world)
  await makeDue(world, id)
  await until(world, id, ({ runs }) => runs.length === 1)
  await untilMessages(world, `schedule:${id}`, 1)
  await runTurn(`schedule:${id}`, 'FAILED')
  const failed = await until(world, id, ({ failures }) => failures === 1)
  expect(failed.next_run_at).not.toBeNull()
  await triggerSchedule(world.context, world.as('bob'), id)
  await runTurn(`schedule:${id}`, 'DONE')
  const after = await until(world, id, ({ runs }) => runs[1]?.status === 'DONE')
  expect(after).toMatchObject({ failures: 0, last_error: null, next_run_at: null })
})

test.each([
  ['ended well: the schedule does not try it once more', 'DONE', 'FAILED SKIPPED'],
  ['failed, too: the schedule tries it once more', 'FAILED', 'FAILED RUNNING'],
] as const)('a failed turn that a user had tried again %s', async (_, status, statuses) => {
  const id = await addSchedule(world, { cron: null, runAt: new Date(Date.now() + 3_600_000) })
  const sessionId = `schedule:${id}`
  await using _process = startScheduler(world)
  await makeDue(world, id)
  await untilMessages(world, sessionId, 1)
  await runTurn(sessionId, 'FAILED')
  await until(world, id, ({ failures }) => failures === 1)
  const [turn] = await world.sql<{ id: string }>('SELECT id FROM turns WHERE session_id = $1', sessionId)
  const retried = await retryTurn(world.context, world.as('bob'), { turnId: turn?.id ?? '' })
  expect(retried).toMatchObject({ kind: 'Retried' })

  await world.sql('UPDATE schedules SET next_run_at = now(), version = version + 1 WHERE id = $1', id)
  const fence = await addSchedule(world)
  await makeDue(world, fence, '0 seconds')
  await until(world, fence, ({ runs }) => runs.length === 1)
  expect(statusesOf(await rowOf(world, id))).toBe('FAILED')

  await runTurn(sessionId, status)
  const after = await until(world, id, ({ runs }) => runs.length === 2)
  expect(statusesOf(after)).toBe(statuses)
  expect(after.next_run_at).toBeNull()
  await world.sql('DELETE FROM schedules')
})

test('a run that was cancelled has failed and is not tried again', async () => {
  const id = await addSchedule(world)
  await using _process = startScheduler(world, { pausesMs: [1] })
  await makeDue(world, id)
  const { next_run_at: planned } = await until(world, id, ({ runs }) => runs.length === 1)
  await untilMessages(world, `schedule:${id}`, 1)
  await runTurn(`schedule:${id}`, 'CANCELLED')
  const after = await until(world, id, ({ runs }) => runs[0]?.status === 'FAILED')
  expect(after).toMatchObject({ failures: 0, last_error: 'It was cancelled.', next_run_at: planned })
})

test('a run ends no later than it is settled, whatever the clock of the process that ran its turn says', async () => {
  const id = await addSchedule(world)
  await makeDue(world, id)
  {
    await using _first = startScheduler(world)
    await untilMessages(world, `schedule:${id}`, 1)
  }
  await runTurn(`schedule:${id}`, 'DONE')
  await world.sql(`UPDATE turns SET finished_at = now() + interval '1 hour' WHERE session_id = $1`, `schedule:${id}`)
  await using _second = startScheduler(world)
  await until(world, id, ({ runs }) => runs[0]?.status === 'DONE')
  const late = 'SELECT FROM schedule_runs WHERE schedule_id = $1 AND finished_at > now()'
  expect(await world.sql(late, id)).toEqual([])
})

test('a message that cannot be sent makes the run fail: the queue is full, or its user was removed from the session', async () => {
  const id = await addSchedule(world)
  const sessionId = `schedule:${id}`
  await triggerSchedule(world.context, world.as('bob'), id)
  await runTurn(sessionId, 'DONE')
  for (let n = 0; n < MAX_QUEUED; n += 1) await sendMessage(world.context, world.as('bob'), { sessionId, content: 'x' })
  await using _process = startScheduler(world)
  await until(world, id, ({ runs }) => runs[0]?.status === 'DONE')
  await makeDue(world, id)
  const full = await until(world, id, ({ failures }) => failures === 1)
  const fresh = "set the schedule's mode to FRESH: then each run has a session of its own."
  const isFull = `${MAX_QUEUED} messages wait in session "${sessionId}" already, the limit. Withdraw some, or ${fresh}`
  expect(full.last_error).toBe(isFull)

  await world.sql('DELETE FROM participants WHERE session_id = $1', sessionId)
  await makeDue(world, id)
  const removed = await until(world, id, ({ failures }) => failures === 2)
  const isRemoved = `The user "bob" may not post in session "${sessionId}" any more. Add them to it, or ${fresh}`
  expect(removed.last_error).toBe(isRemoved)
  expect(statusesOf(removed)).toBe('DONE FAILED FAILED')
})

test('without its user a schedule is paused, says why, and can be enabled when the user is back', async () => {
  const id = await addSchedule(world)
  await makeDue(world, id)
  const config = world.context.config.current()
  const users = new Map([...config.users].filter(([name]) => name !== 'bob'))
  const without = { ...world.context, config: { current: () => ({ ...config, users }), onChange: () => () => {} } }
  const reason =
    'The user "bob", as whom it runs, is no longer configured. ' +
    'Delete it, or enable it again once an admin has restored that user.'
  {
    await using _process = startScheduler(world, { intake: without })
    const paused = await until(world, id, ({ enabled }) => !enabled)
    expect(paused).toMatchObject({
      paused_reason: reason,
      next_run_at: null,
      runs: [{ status: 'SKIPPED', failure: reason }],
    })
  }
  const audit = await world.sql(`SELECT actor, data FROM audit_entries WHERE data->>'change' = 'SCHEDULE_PAUSED'`)
  expect(audit).toEqual([
    { actor: 'scheduler', data: { change: 'SCHEDULE_PAUSED', detail: `${id} of bob: ${reason}` } },
  ])

  const alice = world.as('alice')
  const refusal = { kind: 'Conflict', reason: 'USER_UNKNOWN', currentId: id, message: reason }
  expect(await updateSchedule(without, alice, { id, enabled: true })).toEqual(refusal)
  expect(await triggerSchedule(without, alice, id)).toEqual(refusal)
  expect(await updateSchedule(world.context, alice, { id, enabled: true })).toMatchObject({ kind: 'ScheduleChanged' })
  expect(await rowOf(world, id)).toMatchObject({ enabled: true, paused_reason: null })
})

test('a run whose session was deleted before its end was seen is not sent again', async () => {
  const id = await addSchedule(world)
  await triggerSchedule(world.context, world.as('bob'), id)
  await runTurn(`schedule:${id}`, 'DONE')
  await world.sql('DELETE FROM sessions WHERE id = $1', `schedule:${id}`)
  await using _process = startScheduler(world, { unsentAfterMs: 0 })
  const { runs } = await until(world, id, ({ runs }) => runs[0]?.status !== 'RUNNING')
  expect(runs).toMatchObject([{ status: 'FAILED', failure: 'Its session was deleted.' }])
  expect(await messagesIn(world, `schedule:${id}`)).toEqual([])
})

test('of the runs of a schedule, the newest thousand are kept', async () => {
  const id = await addSchedule(world)
  await world.sql(
    `INSERT INTO schedule_runs (id, schedule_id, due_at, manual, status, started_at)
     SELECT 'run_00' || lpad(n::text, 24, '0'), $1, now(), false, 'DONE', now() FROM generate_series(1, 1100) n`,
    id,
  )
  await makeDue(world, id)
  await using _process = startScheduler(world)
  const { runs } = await until(world, id, ({ runs }) => runs.at(-1)?.status === 'RUNNING')
  expect(runs).toHaveLength(1001)
})
