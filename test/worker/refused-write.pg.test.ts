/**
 * The database refuses what a turn wants to write, and would refuse it again: the turn must end, not come back for
 * ever.
 */
import { Client } from 'pg'
import { expect, test } from 'vitest'
import { answersIn, send, Story, turnEnd, watchAll } from '../harness/story.ts'

const SESSION = 'cli:refused'

/** Stands for whatever we might one day write that PostgreSQL does not take. */
const REFUSE = `
  CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'not this'; END $$;
  CREATE TRIGGER refuse BEFORE INSERT ON tasks FOR EACH ROW WHEN (NEW.detail LIKE '%poison%') EXECUTE FUNCTION refuse()`

test('a turn whose write is refused ends FAILED, tells the user, and the next message runs', async () => {
  await using story = await Story.begin()
  const client = new Client({ connectionString: story.databaseUrl })
  await client.connect()
  await client.query(REFUSE)
  await client.end()

  const ada = story.as('ada')
  await send(ada, SESSION, 'run: echo poison')
  await send(ada, SESSION, 'run: echo fine')
  await using watch = watchAll(ada, SESSION)
  const end = await turnEnd(watch)
  expect(end).toMatchObject({ turnStatus: 'FAILED' })
  expect(answersIn(watch)[0]).toMatch(/^The server made an error while it worked on this \(reference [0-9a-f]+\)\.$/)
  expect(await turnEnd(watch, 2)).toMatchObject({ turnStatus: 'DONE' })
})
