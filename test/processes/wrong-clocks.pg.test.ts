/** The clock of a server's host is wrong by an hour: what is written into rows has the database's time even so. */
import { expect, test } from 'vitest'
import { approvalRules } from '../harness/approvals.ts'
import { select } from '../harness/plugins.ts'
import { schedule, untilSchedule } from '../harness/schedules.ts'
import { converse, eventsOf, send, Story, watchAll } from '../harness/story.ts'

const HOUR_MS = 3_600_000
const TIMEOUT_S = 600
const TOML = approvalRules('effect = "require"\ncommand = "touch"')
const SETTINGS = { approval_timeout: TIMEOUT_S, published_file_ttl: TIMEOUT_S }

/** Seconds from the database's now to the time that `sql` selects. */
async function secondsUntil(story: Story, sql: string): Promise<number> {
  const [row] = await select(story, `SELECT extract(epoch FROM (${sql}) - now()) AS s`)
  return Number(row?.['s'])
}

/** The schedule of a single run. */
const DUE_SOON = `UPDATE schedules SET next_run_at = now() + interval '1 s', version = version + 1 WHERE run_at IS NOT NULL`

test.each([
  ['ahead', HOUR_MS],
  ['behind', -HOUR_MS],
])('an hour %s', async (_, clockAheadMs) => {
  await using story = await Story.begin({ config: { settings: SETTINGS, toml: TOML }, clockAheadMs })
  const ada = story.as('ada')

  const { nextRunAt } = await schedule(ada, { content: 'Hello', cron: '* * * * *' })
  const untilFiring = await secondsUntil(story, `'${nextRunAt}'::timestamptz`)
  expect(untilFiring).toBeGreaterThan(-5)
  expect(untilFiring).toBeLessThanOrEqual(61)
  const once = await schedule(ada, { content: 'Hello', runAt: new Date(Date.now() + HOUR_MS / 2).toISOString() })
  await select(story, DUE_SOON)
  expect((await untilSchedule(ada, once.id, ({ runs }) => runs[0]?.status === 'DONE')).runs).toHaveLength(1)

  await send(ada, 'cli:asks', 'run: touch x')
  await using watch = watchAll(ada, 'cli:asks')
  await watch.until(({ sessionEvents: event }) => event.__typename === 'TurnPausedEvent')
  for (const [what, sql] of [
    ['approval', 'SELECT expires_at FROM approvals'],
    ['pause', `SELECT (data->>'until')::timestamptz FROM events WHERE type = 'TurnPaused'`],
  ] as const) {
    const seconds = await secondsUntil(story, sql)
    expect({ what, isRight: seconds > TIMEOUT_S - 60 && seconds <= TIMEOUT_S }).toEqual({ what, isRight: true })
  }

  const { tasks } = await converse(ada, 'cli:files', 'run: mkdir -p pub && echo hi > pub/a.txt')
  expect(tasks[0]).toMatchObject({ status: 'DONE' })
  const keptFor = await secondsUntil(story, 'SELECT expires_at FROM published_files')
  expect(keptFor).toBeGreaterThan(TIMEOUT_S - 60)
  expect(keptFor).toBeLessThanOrEqual(TIMEOUT_S)

  const at = eventsOf(watch, 'PipelineStepEvent').map((event) => Math.abs(Date.parse(event.at) - Date.now()))
  expect(Math.max(...at)).toBeLessThan(HOUR_MS / 2)
})
