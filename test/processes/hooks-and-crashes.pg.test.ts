/** Plugins in turns whose process dies by `kill -9`, and a plugin that dies itself. */
import { expect, test, vi } from 'vitest'
import { ModelCallsDocument } from '../generated/graphql.ts'
import { Cluster, clientOf } from '../harness/cluster.ts'
import { addPlugin, until, update } from '../harness/plugins.ts'
import { answersIn, eventsOf, send, turnEnd, watchAll } from '../harness/story.ts'
import { PATIENCE } from '../harness/patience.ts'

// Real processes take a while to start on a busy machine.
vi.setConfig({ testTimeout: 180_000 })

async function stateOf(cluster: Cluster, key: string): Promise<unknown[]> {
  const rows = await cluster.query<{ value: unknown }>(
    `SELECT value FROM plugin_state WHERE plugin_name = 'frail' AND starts_with(key, $1)`,
    [key],
  )
  return rows.map(({ value }) => value)
}

test('sections are asked for once, a command is not called again, and the end is given in the end', async () => {
  await using cluster = await Cluster.begin()
  const first = await cluster.start()
  const admin = { as: () => clientOf(first, 'ada') }
  addPlugin(cluster.home, 'frail', 'frail.ts')
  await until(admin, 'frail', 'DISABLED')
  await update(admin, { name: 'frail', enabled: true })
  await until(admin, 'frail', 'READY')
  const ada = clientOf(first, 'ada')
  await send(ada, 'web:sections', 'run: echo begun; sleep 600\nsay it')
  await send(ada, 'web:commands', '/slow')
  {
    await using watch = watchAll(ada, 'web:sections')
    await watch.until(({ sessionEvents: event }) => event.__typename === 'TaskOutputEvent')
    await vi.waitFor(async () => expect(await stateOf(cluster, 'slow')).toHaveLength(1), PATIENCE)
  }
  const second = await cluster.start()
  await first.kill()

  const after = clientOf(second, 'ada')
  await using sections = watchAll(after, 'web:sections')
  expect(await turnEnd(sections)).toMatchObject({ turnStatus: 'DONE' })
  const { modelCalls } = await after.run(ModelCallsDocument, { first: 50, filter: { sessionId: 'web:sections' } })
  const drawn = modelCalls.edges.flatMap(({ node }) => /The number [\d.]+/.exec(node.texts?.prompt ?? '') ?? [])
  expect(drawn.length).toBeGreaterThan(1)
  expect(new Set(drawn).size).toBe(1)
  expect(await stateOf(cluster, 'asked')).toHaveLength(1)

  await using commands = watchAll(after, 'web:commands')
  expect(await turnEnd(commands)).toMatchObject({ turnStatus: 'DONE', commandsHandled: ['slow'] })
  expect(answersIn(commands)).toEqual([expect.stringContaining('what became of it is not known')])
  expect(await stateOf(cluster, 'slow')).toHaveLength(1)
  expect(eventsOf(commands, 'PipelineStepEvent').filter(({ step }) => step === 'COMMANDS')).toHaveLength(1)

  await vi.waitFor(async () => expect(await stateOf(cluster, 'ended')).toEqual(['DONE']), PATIENCE)
  await vi.waitFor(
    async () => expect(await cluster.query(`SELECT 1 FROM turns WHERE hooks_due <> '{}'`)).toEqual([]),
    PATIENCE,
  )
})
