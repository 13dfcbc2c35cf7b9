/**
 * A process hangs (here: SIGSTOP) long enough to be taken for dead, and then goes on as if nothing had happened.
 * Another process has its session by then, and not a word of what it still wants to say may get through.
 */
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { Cluster, clientOf } from '../harness/cluster.ts'
import { eventsOf, send, turnEnd, watchAll } from '../harness/story.ts'

const SESSION = 'cli:late'

test('a process that was taken for dead writes nothing any more, and becomes a new node', async () => {
  await using cluster = await Cluster.begin()
  const marks = cluster.path('marks')
  const late = await cluster.start()
  const ada = clientOf(late, 'ada')
  const waiting = `until [ -e ${cluster.path('go')} ]; do sleep 0.02; done; echo late output; touch ${cluster.path('ran')}`
  await send(ada, SESSION, `run: echo began >> ${marks}; echo begun; ${waiting}\nrun: echo never >> ${marks}`)
  await using before = watchAll(ada, SESSION)
  await before.until(({ sessionEvents: event }) => event.__typename === 'TaskOutputEvent')
  const joined = await late.logged('node joined')

  const other = await cluster.start()
  late.signal('SIGSTOP')
  // Its command ends meanwhile: that is the first thing it finds when it wakes up.
  await writeFile(cluster.path('go'), '')
  await expect.poll(() => existsSync(cluster.path('ran'))).toBe(true)
  await letHeartbeatGrowOld(cluster, Number(joined['node']))
  await using watch = watchAll(clientOf(other, 'ada'), SESSION)
  await send(clientOf(other, 'ada'), SESSION, `run: echo queued >> ${marks}`)
  expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'DONE' })
  expect(await turnEnd(watch, 2)).toMatchObject({ turnStatus: 'DONE' })
  const settled = await logOf(cluster)

  late.signal('SIGCONT')
  await late.logged('node was evicted; its turns continue elsewhere')
  const again = await late.logged('node joined', (line) => line['node'] !== joined['node'])
  await late.logged('turn ends')

  expect(await logOf(cluster)).toEqual(settled)
  expect(await cluster.lines('marks')).toEqual(['began', 'queued'])
  const interrupted = eventsOf(watch, 'TaskUpdateEvent').filter(({ taskStatus }) => taskStatus === 'INTERRUPTED')
  expect(interrupted).toHaveLength(1)

  // It is of use again: alone, it takes the next turn.
  await other.kill()
  const { message } = await send(ada, SESSION, `run: echo again >> ${marks}`)
  await using after = watchAll(ada, SESSION, settled.at(-1)?.seq)
  expect(await turnEnd(after)).toMatchObject({ turnStatus: 'DONE' })
  const [row] = await cluster.query<{ status: string }>('SELECT status FROM messages WHERE id = $1', [message.id])
  expect(row?.status).toBe('DONE')
  expect(Number(again['node'])).toBeGreaterThan(Number(joined['node']))
})

/** Ten seconds of silence, as the database sees it. A process that is stopped cannot beat, so it stays old. */
async function letHeartbeatGrowOld(cluster: Cluster, node: number): Promise<void> {
  await cluster.query(`UPDATE nodes SET seen_at = now() - interval '1 minute' WHERE id = $1`, [node])
}

function logOf(cluster: Cluster): Promise<{ seq: number }[]> {
  return cluster.query('SELECT seq, at, turn_id, type, data FROM events WHERE session_id = $1 ORDER BY seq', [SESSION])
}
