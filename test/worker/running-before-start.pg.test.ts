/**
 * RUNNING is durable before a command starts, or a tool is called: while the commit of RUNNING cannot happen, neither
 * does. Otherwise a crash in between would leave no trace of it, and a takeover would run it again.
 */
import { existsSync } from 'node:fs'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CallToolDocument } from '../generated/graphql.ts'
import type { ApiClient } from '../harness/api-client.ts'
import { addPlugin, until, update } from '../harness/plugins.ts'
import { converse, send, Story, turnEnd, watchAll } from '../harness/story.ts'

let story: Story
beforeAll(async () => {
  story = await Story.begin()
  addPlugin(story.home, 'marks', 'marks.ts')
  await until(story, 'marks', 'DISABLED')
  await update(story, { name: 'marks', enabled: true })
  await until(story, 'marks', 'READY')
})
afterAll(() => story[Symbol.asyncDispose]())

interface Effect {
  readonly what: string
  readonly leave: (client: ApiClient, sessionId: string, marker: string) => Promise<unknown>
}

const EFFECTS: readonly Effect[] = [
  { what: 'command', leave: (client, sessionId, marker) => send(client, sessionId, `run: touch ${marker}`) },
  {
    what: 'tool',
    leave: (client, sessionId, path) =>
      client.run(CallToolDocument, { input: { sessionId, tool: 'marks__mark', args: { path } } }),
  },
]

test.each(EFFECTS)('a $what waits until the commit that says RUNNING is done', async ({ what, leave }) => {
  const ada = story.as('ada')
  const [locked, marker] = [`cli:locked-${what}`, story.path(`marker-${what}`)]
  // The first turn of a process loads what later ones reuse: both sessions of the test are past that.
  await converse(ada, locked, 'run: true')
  await converse(ada, 'cli:other', 'run: true')

  await using watch = watchAll(ada, locked)
  await turnEnd(watch)
  const ended = watch.received.length
  const held = await holdPlans(story.databaseUrl, locked)
  try {
    await leave(ada, locked, marker)
    await expect.poll(() => held.isWaitedFor()).toBe(true)
    // Commands that are asked for later, of another session, run one after another meanwhile, by the same command host:
    // what did not wait would be done before them.
    await converse(ada, 'cli:other', 'run: true\nrun: true\nrun: true\nrun: true\nrun: true')
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
    CREATE OR REPLACE FUNCTION hold_plan() RETURNS trigger LANGUAGE plpgsql
      AS 'BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NEW; END';
    CREATE OR REPLACE TRIGGER hold_plan BEFORE INSERT ON plans FOR EACH ROW
      WHEN (NEW.session_id = '${sessionId}') EXECUTE FUNCTION hold_plan();
  `)
  const blocked = `SELECT 1 FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))`
  return {
    isWaitedFor: async () => (await client.query(blocked)).rowCount !== 0,
    release: () => client.end(),
  }
}
