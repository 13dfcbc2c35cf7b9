/**
 * The answer to a claim gets lost on its way, while the claim itself was committed: the session must not wait for ever.
 */
import { Client } from 'pg'
import { expect, test } from 'vitest'
import { send, Story, turnEnd, watchAll } from '../harness/story.ts'

const SESSION = 'cli:forgotten'

test('a node runs what the database says it has claimed, although it never heard of it', async () => {
  await using story = await Story.begin()
  const ada = story.as('ada')
  await send(ada, SESSION, 'hello')
  await using watch = watchAll(ada, SESSION)
  await turnEnd(watch)

  await claimBehindItsBack(story.databaseUrl)
  await send(ada, SESSION, 'hello again')
  expect(await turnEnd(watch, 2)).toMatchObject({ turnStatus: 'DONE' })
})

/** What the database looks like after a claim whose answer was lost. */
async function claimBehindItsBack(databaseUrl: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await expect
      .poll(async () => {
        const claimed = await client.query(
          'UPDATE sessions SET owner = (SELECT id FROM nodes), epoch = epoch + 1 WHERE id = $1 AND owner IS NULL',
          [SESSION],
        )
        return claimed.rowCount
      })
      .toBe(1)
  } finally {
    await client.end()
  }
}
