/**
 * RUNNING is durable before a command starts: while the commit of RUNNING cannot happen, the command does not run.
 * Otherwise a crash in between would leave no trace of it, and a takeover would run it again.
 */
import { existsSync } from 'node:fs'
import { Client } from 'pg'
import { expect, test } from 'vitest'
import { converse, send, Story, turnEnd, watchAll } from '../harness/story.ts'

const LOCKED = 'cli:locked'

test('a command waits until the commit that says RUNNING is done', async () => {
  await using story = await Story.begin()
  const ada = story.as('ada')
  const marker = story.path('marker')
  // The first turn of a process loads what later ones reuse: both sessions of the test are past that.
  await converse(ada, LOCKED, 'run: true')
  await converse(ada, 'cli:other', 'run: true')

  await using watch = watchAll(ada, LOCKED)
  await turnEnd(watch)
  const ended = watch.received.length
  const held = await holdPlans(story.databaseUrl, LOCKED)
  try {
    await send(ada, LOCKED, `run: touch ${marker}`)
    await expect.poll(() => held.isWaitedFor()).toBe(true)
    // Another session plans, runs a command and answers meanwhile: time enough for a command that did not wait.
    await converse(ada, 'cli:other', 'wait: 300\nrun: true')
    expect(existsSync(marker)).toBe(false)
    expect(watch.received.slice(ended).map(({ sessionEvents }) => sessionEvents.__typename)).not.toContain(
      'TaskUpdateEvent',
    )
  } finally {
    await held.release()
  }
  expect(await turnEnd(watch, 2)).toMatchObject({ turnStatus: 'DONE' })
  expect(existsSync(marker)).toBe(true)
})

/** Makes the commit of the session's next plan, and with it what is recorded after the plan, wait until `release`. */
async function holdPlans(databaseUrl: string, sessionId: string) {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query('SELECT pg_advisory_lock(1)')
  await client.query(`
    CREATE FUNCTION hold_plan() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NEW; END';
    CREATE TRIGGER hold_plan BEFORE INSERT ON plans FOR EACH ROW
      WHEN (NEW.session_id = '${sessionId}') EXECUTE FUNCTION hold_plan();
  `)
  const blocked = `SELECT 1 FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))`
  return {
    isWaitedFor: async () => (await client.query(blocked)).rowCount !== 0,
    release: () => client.end(),
  }
}
