/** What `[retention]` has removed is not shown any more, also not from what subscriptions share in memory. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { TaskUpdatesDocument } from '../generated/graphql.ts'
import { select } from '../harness/plugins.ts'
import { converse, Story } from '../harness/story.ts'

let story: Story
beforeAll(async () => {
  story = await Story.begin({ config: { toml: '[retention]\noutputs = 30\n' } })
})
afterAll(() => story?.[Symbol.asyncDispose]())

const followerOf = (sessionId: string) => () => story.as('ada').watch(TaskUpdatesDocument, { sessionId, after: 0 })

async function outputOf(watch: ReturnType<ReturnType<typeof followerOf>>): Promise<string | null> {
  const { sessionEvents: event } = await watch.until(
    ({ sessionEvents }) => sessionEvents.__typename === 'TaskUpdateEvent' && sessionEvents.taskStatus === 'DONE',
  )
  return event.__typename === 'TaskUpdateEvent' ? event.task.output : null
}

test('an output that was removed is not shown to who comes after', async () => {
  const sessionId = 'cli:outputs'
  await converse(story.as('ada'), sessionId, 'run: echo hello\nWhat does it say?')
  const follow = followerOf(sessionId)
  // Two that stay: what is made for one of several is kept for the next.
  await using first = follow()
  expect(await outputOf(first)).toBe('hello\n')
  await using second = follow()
  expect(await outputOf(second)).toBe('hello\n')

  await select(story, `UPDATE turns SET finished_at = finished_at - interval '40 days'`)
  await select(story, `UPDATE sessions SET retention_due_at = now() - interval '1 day'`)
  await select(story, `SELECT graphile_worker.add_job('remove-old')`)
  const removed = `SELECT 1 FROM tasks WHERE output = '[removed]'`
  await expect.poll(() => select(story, removed)).toHaveLength(1)
  await using third = follow()
  expect(await outputOf(third)).toBe('[removed]')
})

test('nor when another process removed it while no notification came through', async () => {
  const sessionId = 'cli:unheard'
  await converse(story.as('ada'), sessionId, 'run: echo hello\nWhat does it say?')
  const follow = followerOf(sessionId)
  await using first = follow()
  expect(await outputOf(first)).toBe('hello\n')
  await using second = follow()
  expect(await outputOf(second)).toBe('hello\n')

  await select(story, `UPDATE tasks SET output = '[removed]' WHERE session_id = '${sessionId}' AND type = 'EXEC'`)
  await select(
    story,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'factotum doorbell'
      AND datname = current_database()`,
  )
  const shown = async (): Promise<string | null> => {
    await using third = follow()
    return await outputOf(third)
  }
  await expect.poll(shown).toBe('[removed]')
})
