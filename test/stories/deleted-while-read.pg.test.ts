/** A session is deleted between two statements of one operation that reads it. */
import pg from 'pg'
import { expect, test } from 'vitest'
import { send, Story } from '../harness/story.ts'

const READ = `query ($id: ID!) {
  session(id: $id) { turns { edges { node { first: message { createdAt } second: message { content } } } } }
}`

test('what is gone is said to be, not masked as a bug', async () => {
  // It only answers: a server that works would wait for the locked table, too.
  await using story = await Story.begin({ paused: true })
  const ada = story.as('ada')
  await send(ada, '@ada:gone', 'say: hello')
  const deleting = new pg.Client({ connectionString: story.databaseUrl })
  await deleting.connect()
  try {
    await deleting.query('BEGIN')
    await deleting.query('LOCK TABLE messages IN ACCESS EXCLUSIVE MODE')
    const reading = ada.request(READ, { id: '@ada:gone' })
    const waiting = `SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'messages'::regclass`
    await expect.poll(async () => (await deleting.query(waiting)).rowCount).toBe(1)
    await deleting.query(`DELETE FROM sessions WHERE id = '@ada:gone'`)
    await deleting.query('COMMIT')
    const { errors } = await reading
    expect(errors.map(({ extensions }) => extensions?.['code'])).toEqual(['NOT_FOUND'])
  } finally {
    await deleting.end()
  }
})
