/**
 * The database refuses what a turn wants to write, and would refuse it again: the turn must end, not come back for
 * ever.
 */
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { OpenSessionDocument } from '../generated/graphql.ts'
import { update } from '../harness/plugins.ts'
import { answersIn, eventsOf, send, Story, turnEnd, watchAll } from '../harness/story.ts'

/** Stands for whatever we might one day write that PostgreSQL does not take. */
const REFUSE = `
  CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'not this'; END $$;
  CREATE TRIGGER refuse BEFORE INSERT ON tasks FOR EACH ROW WHEN (NEW.detail LIKE '%poison%') EXECUTE FUNCTION refuse()`

let story: Story
beforeAll(async () => {
  story = await Story.begin()
  const client = new Client({ connectionString: story.databaseUrl })
  await client.connect()
  await client.query(REFUSE)
  await client.end()
})
afterAll(() => story?.[Symbol.asyncDispose]())

test('a turn whose write is refused ends FAILED, tells the user, and the next message runs', async () => {
  const ada = story.as('ada')
  await send(ada, 'cli:refused', 'run: echo poison')
  await send(ada, 'cli:refused', 'run: echo fine')
  await using watch = watchAll(ada, 'cli:refused')
  const end = await turnEnd(watch)
  expect(end).toMatchObject({ turnStatus: 'FAILED' })
  expect(answersIn(watch)[0]).toMatch(/^The server made an error while it worked on this \(reference [0-9a-f]+\)\.$/)
  expect(await turnEnd(watch, 2)).toMatchObject({ turnStatus: 'DONE' })
})

test('what the model thought in such a turn is not kept, as in any other, where no plugin keeps it', async () => {
  await update(story, { name: 'activity', enabled: false })
  const ada = story.as('ada')
  await ada.run(OpenSessionDocument, { input: { id: 'cli:thought', mode: 'CHAT' } })
  await using live = watchAll(ada, 'cli:thought')
  await send(ada, 'cli:thought', 'think: One, then another.\nrun: echo fine\n\nrun: echo poison')
  expect(await turnEnd(live)).toMatchObject({ turnStatus: 'FAILED' })
  expect(eventsOf(live, 'ThinkingEvent')).not.toEqual([])

  await using later = watchAll(ada, 'cli:thought')
  await turnEnd(later)
  expect(eventsOf(later, 'ThinkingEvent')).toEqual([])
})
