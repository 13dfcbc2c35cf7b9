/**
 * RUNNING is durable before a command starts: while the commit of RUNNING cannot happen, the command does not run. Otherwise a
 * crash in between would leave no trace of it, and a takeover would run it again.
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
  // The plan takes 300 ms: time to lock the row between the turn's beginning and its plan's commit.
  const stepsSince = (start: number) =>
    watch.received.slice(start).map(({ sessionEvents: event }) => ('step' in event ? event.step : null))
  const ended = watch.received.length
  await send(ada, LOCKED, `wait: 300\nrun: touch ${marker}`)
  await expect.poll(() => stepsSince(ended)).toContain('RECEIVED')
  const lock = await lockSession(story.databaseUrl, LOCKED)
  try {
    await expect.poll(() => lock.isWaitedFor(), { timeout: 20_000 }).toBe(true)
    // Another session plans, runs a command and answers meanwhile: time enough for a command that did not wait.
    await converse(ada, 'cli:other', 'wait: 300\nrun: true')
    expect(existsSync(marker)).toBe(false)
    expect(watch.received.slice(ended).map(({ sessionEvents }) => sessionEvents.__typename)).not.toContain(
      'TaskUpdateEvent',
    )
  } finally {
    await lock.release()
  }
  expect(await turnEnd(watch, 2)).toMatchObject({ turnStatus: 'DONE' })
  expect(existsSync(marker)).toBe(true)
})

/** Holds the session's row as a transaction of a third party would. */
async function lockSession(databaseUrl: string, sessionId: string) {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query('BEGIN')
  await client.query('SELECT 1 FROM sessions WHERE id = $1 FOR UPDATE', [sessionId])
  const blocked = `SELECT 1 FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))`
  return {
    isWaitedFor: async () => (await client.query(blocked)).rowCount !== 0,
    release: async () => {
      await client.query('COMMIT')
      await client.end()
    },
  }
}
