/**
 * A copy that is started with --paused: what is due stays due, nothing of others runs, and all of it goes on as soon as
 * it is started without.
 */
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { newWebhookSecret } from '../../src/config/access/webhook-secret.ts'
import { answer, Receiver } from '../delivery/receiver.ts'
import {
  CheckpointSessionDocument,
  OpenSessionDocument,
  RedeliverAllDocument,
  ServerDocument,
  UpdatePluginDocument,
} from '../generated/graphql.ts'
import { approvalRules, untilAsked } from '../harness/approvals.ts'
import { askOperators } from '../harness/ask-operators.ts'
import { PATIENCE } from '../harness/patience.ts'
import { addPlugin, read, select, until, update } from '../harness/plugins.ts'
import { schedule } from '../harness/schedules.ts'
import { converse, send, Story, watchAll } from '../harness/story.ts'

/** Something that connections come to, counted; none is answered. */
async function listen() {
  const calls = { count: 0 }
  const server = createServer((socket) => {
    calls.count += 1
    socket.destroy()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { calls, port, [Symbol.asyncDispose]: async () => void server.close() }
}

/** How far each of the things that were due has come. */
async function progressOf(story: Story): Promise<Record<string, unknown> | undefined> {
  const [row] = await select(
    story,
    `SELECT (SELECT count(*)::int FROM schedule_runs) AS "scheduleRuns",
      (SELECT array_agg(status::text ORDER BY session_id) FROM deliveries) AS deliveries,
      (SELECT status::text FROM approvals) AS approval,
      (SELECT count(*)::int FROM checkpoints) AS "checkpointsDue",
      (SELECT status::text FROM turns WHERE session_id = 'cli:later') AS turn,
      (SELECT count(*)::int FROM plugin_state WHERE key LIKE 'start %') AS "pluginStarts",
      (SELECT count(*)::int FROM graphile_worker._private_jobs WHERE run_at <= now()) AS "jobsDue"`,
  )
  return row
}

const MAKE_ALL_DUE = [
  `UPDATE schedules SET next_run_at = now() - interval '1 minute'`,
  `UPDATE deliveries SET status = 'DEAD', next_attempt_at = NULL WHERE session_id = 'cli:dead'`,
  `UPDATE deliveries SET next_attempt_at = now() - interval '1 minute' WHERE status = 'PENDING'`,
  `UPDATE approvals SET expires_at = now() - interval '1 minute'`,
  `UPDATE graphile_worker._private_jobs SET run_at = now() - interval '1 minute'`,
]

test('nothing that is due happens in a copy that is paused, and all of it when it is told', async () => {
  await using receiver = await Receiver.start(answer(503))
  await using tools = await listen()
  await using original = await Story.begin({
    config: {
      settings: { webhook_allow_list: ['127.0.0.1'] },
      tokens: { ada: `webhook_secret = "${newWebhookSecret()}"` },
      toml: `${approvalRules('effect = "require"\ncommand = "tee"')}
[mcp.tools]\nurl = "http://127.0.0.1:${tools.port}/mcp"\nallow_private = true\n`,
    },
  })
  await fill(original, receiver)
  await original.app.stop()
  for (const statement of MAKE_ALL_DUE) await select(original, statement)
  const due = await progressOf(original)
  const before = { scheduleRuns: 0, approval: 'PENDING', pluginStarts: 1 }
  expect(due).toMatchObject({ ...before, deliveries: ['DEAD', 'PENDING'] })
  expect(due?.['jobsDue']).toBeGreaterThan(0)
  const seen = { posts: receiver.received.all.length, calls: tools.calls.count }
  receiver.behave(answer(204))

  {
    await using copy = await Story.begin({ beside: original, paused: true })
    await lookAt(copy)
  }
  const deliveries = ['PENDING', 'PENDING']
  expect(await progressOf(original)).toEqual({ ...due, deliveries, checkpointsDue: 1, turn: 'QUEUED' })
  expect({ posts: receiver.received.all.length, calls: tools.calls.count }).toEqual(seen)

  await using woken = await Story.begin({ beside: original })
  expect((await woken.as('ada').run(ServerDocument)).server).toMatchObject({ paused: false })
  await expect
    .poll(() => progressOf(woken), PATIENCE)
    .toMatchObject({
      scheduleRuns: 1,
      deliveries: ['DELIVERED', 'DELIVERED'],
      approval: 'EXPIRED',
      checkpointsDue: 0,
      turn: 'DONE',
      pluginStarts: 2,
    })
  await expect.poll(() => tools.calls.count, PATIENCE).toBeGreaterThan(seen.calls)
})

/** Two posts that failed, a question, a schedule, and a plugin that notes each of its starts. */
async function fill(story: Story, receiver: Receiver): Promise<void> {
  const ada = story.as('ada')
  for (const id of ['cli:posts', 'cli:dead']) {
    await ada.run(OpenSessionDocument, { input: { id, webhook: receiver.url() } })
    await converse(ada, id, 'Hello')
  }
  const tried = `SELECT count(*)::int AS count FROM deliveries WHERE status = 'PENDING' AND attempts > 0`
  await expect.poll(() => select(story, tried), PATIENCE).toEqual([{ count: 2 }])
  await send(ada, 'cli:asks', 'run: echo hello | tee note')
  await using watch = watchAll(ada, 'cli:asks')
  await untilAsked(watch)
  await schedule(ada, { content: 'run: echo tick', cron: '0 0 1 1 *' })
  addPlugin(story.home, 'diary', 'diary.ts')
  await until(story, 'diary', 'DISABLED')
  await update(story, { name: 'diary', enabled: true })
  await until(story, 'diary', 'READY')
}

/** All that a user who reads a copy might do; and what they are told. */
async function lookAt(copy: Story): Promise<void> {
  const ada = copy.as('ada')
  await send(ada, 'cli:later', 'run: echo later')
  expect(await ada.run(CheckpointSessionDocument, { sessionId: 'cli:posts' })).toMatchObject({
    checkpointSession: { __typename: 'CheckpointSessionPayload' },
  })
  await ada.run(RedeliverAllDocument, {})
  const { version } = await read(copy, 'diary')
  const settings = { owner: 'ben' }
  const changed = await ada.run(UpdatePluginDocument, { input: { name: 'diary', settings, version } })
  expect(changed).toMatchObject({ updatePlugin: { issues: [{ problem: expect.stringContaining('paused') }] } })
  const moved = await ada.run(UpdatePluginDocument, { input: { name: 'diary', position: 9, version } })
  expect(moved).toMatchObject({ updatePlugin: { plugin: { position: 9 } } })
  expect((await ada.run(ServerDocument)).server).toMatchObject({ paused: true })
  const ready = (await (await askOperators(copy.app.url, '/ready')).json()) as object
  expect(ready).toMatchObject({
    ready: true,
    checks: {
      work: { ok: false, detail: expect.stringContaining('paused'), fix: expect.stringContaining('--paused') },
    },
  })
}
