/** Messages that the clock sends: they fire, into which session, as whom; and what becomes of a schedule when a run has ended. */
import { expect, test } from 'vitest'
import { Story } from '../harness/story.ts'
import { schedule, soon, untilSchedule } from '../harness/schedules.ts'

test('a single run fires at its time, as its user, into a session of its own, and is done when its turn has ended', async () => {
  await using story = await Story.begin()
  const ben = story.as('ben')
  const runAt = soon()
  const { id, nextRunAt } = await schedule(ben, { content: 'Good morning', runAt })
  expect(nextRunAt).toBe(runAt)

  const { runs, ...after } = await untilSchedule(ben, id, ({ runs }) => runs[0]?.status === 'DONE')
  expect(after).toMatchObject({ nextRunAt: null, failures: 0, lastError: null, mode: 'DEDICATED' })
  expect(runs).toMatchObject([
    {
      status: 'DONE',
      triggered: false,
      dueAt: runAt,
      failure: null,
      session: {
        id: `schedule:${id}`,
        source: { kind: 'schedule', interactive: false, triggerId: id },
        participants: [{ name: 'ben' }],
      },
      turn: { status: 'DONE', message: { content: 'Good morning', trusted: true } },
    },
  ])
})
