/** Plugins in turns whose process dies by `kill -9`, and a plugin that dies itself. */
import { writeFile } from 'node:fs/promises'
import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { must } from '../../src/platform/must.ts'
import { ModelCallsDocument } from '../generated/graphql.ts'
import { Cluster, clientOf } from '../harness/cluster.ts'
import { addPlugin, until, update } from '../harness/plugins.ts'
import { answersIn, eventsOf, send, turnEnd, watchAll } from '../harness/story.ts'
import { PATIENCE } from '../harness/patience.ts'

async function stateOf(cluster: Cluster, key: string): Promise<unknown[]> {
  const rows = await cluster.query<{ value: unknown }>(
    `SELECT value FROM plugin_state WHERE plugin_name = 'frail' AND starts_with(key, $1)`,
    [key],
  )
  return rows.map(({ value }) => value)
}

/** Nobody else reads this table, until it is ended. */
async function locked(cluster: Cluster, table: string): Promise<AsyncDisposable & { end(): Promise<void> }> {
  const client = new pg.Client({ connectionString: must(cluster.databaseUrl, 'a database') })
  await client.connect()
  await client.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`)
  let ending: Promise<void> | null = null
  const end = (): Promise<void> => (ending ??= client.end())
  return { end, [Symbol.asyncDispose]: end }
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
  const go = cluster.path('go')
  await send(ada, 'web:ends', `run: echo begun; until [ -e ${go} ]; do sleep 0.02; done`)
  {
    await using watch = watchAll(ada, 'web:sections')
    await watch.until(({ sessionEvents: event }) => event.__typename === 'TaskOutputEvent')
    await vi.waitFor(async () => expect(await stateOf(cluster, 'slow')).toHaveLength(1), PATIENCE)
  }
  const second = await cluster.start()
  {
    await using watch = watchAll(ada, 'web:ends')
    await watch.until(({ sessionEvents: event }) => event.__typename === 'TaskOutputEvent')
    // Whose end is due cannot be read, so this turn has ended and nobody was given that when its process dies.
    await using unread = await locked(cluster, 'plugins')
    await writeFile(go, '')
    expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'DONE' })
    await first.kill()
    expect(await stateOf(cluster, 'given web:ends')).toEqual([])
    await unread.end()
  }

  const after = clientOf(second, 'ada')
  await using sections = watchAll(after, 'web:sections')
  expect(await turnEnd(sections)).toMatchObject({ turnStatus: 'DONE' })
  const { modelCalls } = await after.run(ModelCallsDocument, { first: 50, filter: { sessionId: 'web:sections' } })
  const drawn = modelCalls.edges.flatMap(({ node }) => /The number [\d.]+/.exec(node.texts?.prompt ?? '') ?? [])
  expect(drawn.length).toBeGreaterThan(1)
  expect(new Set(drawn).size).toBe(1)
  expect(await stateOf(cluster, 'asked web:sections')).toHaveLength(1)

  await using commands = watchAll(after, 'web:commands')
  expect(await turnEnd(commands)).toMatchObject({ turnStatus: 'DONE', commandsHandled: ['slow'] })
  expect(answersIn(commands)).toEqual([expect.stringContaining('what became of it is not known')])
  expect(await stateOf(cluster, 'slow')).toHaveLength(1)
  expect(eventsOf(commands, 'PipelineStepEvent').filter(({ step }) => step === 'COMMANDS')).toHaveLength(1)

  await vi.waitFor(async () => expect(await stateOf(cluster, 'died of')).toHaveLength(1), PATIENCE)
  const [diedOf] = await stateOf(cluster, 'died of')
  // The end of another turn that is given later is no proof.
  const timesGiven = async (): Promise<number> => (await stateOf(cluster, `given ${String(diedOf)}`)).length
  await vi.waitFor(async () => expect(await timesGiven()).toBeGreaterThan(1), PATIENCE)
  // What a crash left is found a minute after, by a sweep each minute.
  await cluster.query(`UPDATE turns SET finished_at = finished_at - interval '5 minutes' WHERE session_id = 'web:ends'`)
  await cluster.query(`SELECT graphile_worker.add_job('sweep-turn-ends')`)
  await vi.waitFor(async () => expect(await stateOf(cluster, 'given web:ends')).toContain('DONE'), PATIENCE)
  await vi.waitFor(
    async () => expect(await cluster.query(`SELECT 1 FROM turns WHERE hooks_due <> '{}'`)).toEqual([]),
    PATIENCE,
  )
})
