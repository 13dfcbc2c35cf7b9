/** A conversation whose process dies by `kill -9` within its calls: it goes on, and nothing is done twice. */
import { expect, test } from 'vitest'
import { Cluster, clientOf } from '../harness/cluster.ts'
import { addPlugin, until, update } from '../harness/plugins.ts'
import { answersIn, eventsOf, send, turnEnd, watchAll } from '../harness/story.ts'
import { CallToolDocument, OpenSessionDocument, TasksOfSessionDocument } from '../generated/graphql.ts'

test('a command that was under way is given to the model as of unknown outcome; the calls behind it are made', async () => {
  await using cluster = await Cluster.begin()
  const first = await cluster.start()
  const ada = clientOf(first, 'ada')
  const marks = cluster.path('marks')
  await ada.run(OpenSessionDocument, { input: { id: 'cli:chat', mode: 'CHAT' } })
  const message = [
    `run: echo first >> ${marks}`,
    `run: echo second >> ${marks}; echo begun; sleep 600`,
    `run: echo third >> ${marks}`,
    '',
    `run: echo fourth >> ${marks}`,
    'What became of it?',
  ]
  await send(ada, 'cli:chat', message.join('\n'))
  {
    await using watch = watchAll(ada, 'cli:chat')
    await watch.until(({ sessionEvents: event }) => event.__typename === 'TaskOutputEvent')
  }
  const second = await cluster.start()
  await first.kill()

  const after = clientOf(second, 'ada')
  await using watch = watchAll(after, 'cli:chat')
  expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'DONE' })
  expect(await cluster.lines('marks')).toEqual(['first', 'second', 'third', 'fourth'])
  const { session } = await after.run(TasksOfSessionDocument, { id: 'cli:chat' })
  const tasks = session?.tasks.edges.map(({ node }) => node).toSorted((a, b) => a.index - b.index)
  expect(tasks).toMatchObject([
    { type: 'EXEC', status: 'DONE', review: null },
    { type: 'EXEC', status: 'INTERRUPTED', output: 'begun\n', review: null },
    { type: 'EXEC', status: 'DONE' },
    { type: 'EXEC', status: 'DONE' },
    { type: 'MSG', status: 'DONE', final: true },
  ])
  expect(answersIn(watch).join('\n')).toContain('its outcome is unknown')
  expect(eventsOf(watch, 'PlanCreatedEvent')).toHaveLength(1)
  const seqs = watch.received.map(({ sessionEvents }) => sessionEvents.seq)
  expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b))
})

test('the call of a tool by a person that was under way is marked, and not made again', async () => {
  await using cluster = await Cluster.begin()
  addPlugin(cluster.home, 'good-plugin', 'good-plugin.ts')
  const first = await cluster.start()
  const story = { as: () => clientOf(first, 'ada') }
  await until(story, 'good-plugin', 'DISABLED')
  await update(story, { name: 'good-plugin', enabled: true })
  await until(story, 'good-plugin', 'READY')
  const input = { sessionId: 'cli:call', tool: 'good-plugin__wait-for-ever', args: {}, idempotencyKey: 'k' }
  const called = await clientOf(first, 'ada').run(CallToolDocument, { input })
  {
    await using watch = watchAll(clientOf(first, 'ada'), 'cli:call')
    await watch.until(({ sessionEvents: event }) => {
      return event.__typename === 'TaskUpdateEvent' && event.taskStatus === 'RUNNING'
    })
  }
  const second = await cluster.start()
  await first.kill()
  const after = clientOf(second, 'ada')
  await using watch = watchAll(after, 'cli:call')
  const failure = expect.stringContaining('is not called again')
  expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'FAILED', failure })
  const { session } = await after.run(TasksOfSessionDocument, { id: 'cli:call' })
  const tasks = session?.tasks.edges.map(({ node }) => node).filter(({ type }) => type === 'TOOL')
  expect(tasks).toMatchObject([{ status: 'INTERRUPTED' }])
  expect(eventsOf(watch, 'PlanCreatedEvent')).toHaveLength(1)
  const repeated = await after.run(CallToolDocument, { input })
  expect(repeated.callTool).toMatchObject({ duplicate: true })
  expect(called.callTool).toMatchObject({ duplicate: false })
})
