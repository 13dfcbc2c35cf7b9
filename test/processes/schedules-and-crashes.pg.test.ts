/** Schedules on real processes that die by `kill -9`: what was missed is made up for once, and nothing fires twice. */
import { expect, test } from 'vitest'
import { must } from '../../src/platform/must.ts'
import { Cluster, clientOf } from '../harness/cluster.ts'
import { passTime, readSchedule, schedule, untilSchedule } from '../harness/schedules.ts'

function databaseOf({ databaseUrl }: Cluster): string {
  return must(databaseUrl, 'a cluster on a database of its own')
}

test('what was missed while no server ran comes to one run when one runs again', async () => {
  await using cluster = await Cluster.begin()
  const first = await cluster.start()
  const missed = clientOf(first, 'ben')
  // Every hour, half an hour from now: it must not fall due again while this runs.
  const minute = (new Date().getUTCMinutes() + 30) % 60
  const { id } = await schedule(missed, { content: 'Say hi', cron: `${minute} * * * *` })
  const { id: once } = await schedule(missed, { content: 'Say hi', runAt: '2100-01-01T00:00:00Z', mode: 'FRESH' })
  await first.kill()
  await passTime(databaseOf(cluster), [id, once])

  const ben = clientOf(await cluster.start(), 'ben')
  const { runs, nextRunAt } = await untilSchedule(ben, id, ({ runs }) => runs[0]?.status === 'DONE')
  expect(runs).toHaveLength(1)
  expect(Date.parse(runs[0]?.startedAt ?? '') - Date.parse(runs[0]?.dueAt ?? '')).toBeGreaterThan(10_000_000)
  expect(Date.parse(nextRunAt ?? '')).toBeGreaterThan(Date.parse(runs[0]?.startedAt ?? ''))
  const single = await untilSchedule(ben, once, ({ runs }) => runs[0]?.status === 'DONE')
  expect(single.runs).toHaveLength(1)
  expect(single.nextRunAt).toBeNull()
})

test('of two processes that see many schedules due one is killed at once: each fires once, and runs to its end', async () => {
  await using cluster = await Cluster.begin()
  const [first, second] = [await cluster.start(), await cluster.start()]
  const ada = clientOf(second, 'ada')
  const ids: string[] = []
  for (let n = 0; n < 8; n += 1) {
    const content = `run: echo ${n} >> ${cluster.path('marks')}`
    ids.push((await schedule(ada, { content, cron: '0 0 1 1 *', mode: n % 2 === 0 ? 'FRESH' : 'DEDICATED' })).id)
  }
  await passTime(databaseOf(cluster), ids)
  await Promise.race(ids.map((id) => untilSchedule(ada, id, ({ runs }) => runs.length > 0)))
  await first.kill()

  for (const id of ids) await untilSchedule(ada, id, ({ runs }) => runs[0]?.status === 'DONE')
  const shown = await Promise.all(ids.map((id) => readSchedule(ada, id)))
  expect(shown.map(({ runs }) => runs.length)).toEqual(ids.map(() => 1))
  const messages = await cluster.query('SELECT content FROM messages WHERE role = $1', ['USER'])
  expect(messages).toHaveLength(ids.length)
  const marks = await cluster.lines('marks')
  expect(marks).toHaveLength(new Set(marks).size)
})
