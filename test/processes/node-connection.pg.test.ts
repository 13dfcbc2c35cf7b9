/**
 * The connection by which a server says that it lives is cut while it works, or PostgreSQL is restarted again and
 * again: nobody died, so no turn may fail for it, and no command may run beside one that another server still runs.
 */
import { writeFile } from 'node:fs/promises'
import { expect, test, vi } from 'vitest'
import { systemClock } from '../../src/platform/clock.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { must } from '../../src/platform/must.ts'
import { startEmbeddedPostgres } from '../../src/postgres/embedded-postgres.ts'
import { Cluster, clientOf } from '../harness/cluster.ts'
import { send, turnEnd, watchAll } from '../harness/story.ts'
import { createTemporaryHome } from '../harness/temporary-home.ts'
import { StubEndpoint, type StubCall } from '../model/stub-endpoint.ts'

// Real processes take a while to start on a busy machine.
vi.setConfig({ testTimeout: 300_000 })

const OFTEN = { interval: 50 }

/**
 * Leaves a line when it begins, and one in `overlaps` when another command of its session runs: that one holds the lock
 * until its last process ends.
 */
function exclusive(cluster: Cluster): string {
  return `exec 9>>lock; flock -n 9 || echo $$ >> ${cluster.path('overlaps')}; echo $$ >> ${cluster.path('begun')}`
}

const begun = async (cluster: Cluster) => (await cluster.lines('begun')).length

interface TurnRow {
  readonly status: string
  readonly failure: string | null
  readonly takeovers: number
}

/** How the turns ended. */
async function turnsOf(cluster: Cluster): Promise<string[]> {
  const rows = await cluster.query<TurnRow & Record<string, unknown>>('SELECT status, failure, takeovers FROM turns')
  return rows.map(({ status, failure, takeovers }) =>
    `${status} ${failure ?? ''}${takeovers > 0 ? takeovers : ''}`.trim(),
  )
}

test('cut again and again under many turns: none fails, and no two commands of a session overlap', async () => {
  await using cluster = await Cluster.begin()
  const servers = [await cluster.start(), await cluster.start()]
  const ada = clientOf(must(servers[0], 'it is there'), 'ada')
  for (let message = 1; message <= 6; message += 1) {
    for (const session of ['cli:a', 'cli:b', 'cli:c', 'cli:d'])
      await send(ada, session, `run: ${exclusive(cluster)}; sleep 1.5`)
  }
  for (let cut = 1; cut <= 3; cut += 1) {
    const before = await begun(cluster)
    await expect.poll(() => begun(cluster), OFTEN).toBeGreaterThanOrEqual(before + 4)
    await cluster.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE application_name = 'factotum node' AND datname = current_database()`,
    )
  }
  await expect.poll(async () => new Set(await turnsOf(cluster)), OFTEN).toEqual(new Set(['DONE']))
  expect(await cluster.lines('overlaps')).toEqual([])
  for (const server of servers) {
    expect(server.logs.filter(({ msg }) => msg === 'node joined').length).toBeGreaterThan(3)
  }
})

test('eight fast restarts of PostgreSQL, each under the same turn: it is interrupted each time, and ends all the same', async () => {
  await using model = await StubEndpoint.start({ list: [] })
  await using home = await createTemporaryHome()
  const logger = createLogger({ level: 'silent', pretty: false })
  await using stack = new AsyncDisposableStack()
  const postgres = await startEmbeddedPostgres({ home: home.path, logger, clock: systemClock })
  stack.defer(() => postgres.stop())
  const toml = `[providers.stub]\nbase_url = "${model.baseUrl}"\n[models]\nplanner = "stub:one"\n`
  await using cluster = await Cluster.begin({ config: { toml }, databaseUrl: postgres.url })
  const go = cluster.path('go')
  model.follow({ by: answerFor(`${exclusive(cluster)}; until [ -e ${go} ]; do sleep 0.02; done`) })
  const ada = clientOf(await cluster.start(), 'ada')
  await cluster.start()
  await send(ada, 'cli:restarts', 'Wait until you may go.')
  for (let restart = 1; restart <= 8; restart += 1) {
    await expect.poll(() => begun(cluster), OFTEN).toBe(restart)
    process.kill(must(postgres.pid, 'it runs'), 'SIGINT')
  }
  await expect.poll(() => begun(cluster), OFTEN).toBe(9)
  await writeFile(go, '')
  await using watch = watchAll(ada, 'cli:restarts')
  expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'DONE', failure: null })
  expect(await turnsOf(cluster)).toEqual(['DONE'])
  expect(await cluster.lines('overlaps')).toEqual([])
})

/** A model that plans this command, and again when it was interrupted. */
function answerFor(command: string): (call: StubCall) => { readonly content: unknown } | string {
  const tasks = [
    { type: 'exec', detail: command, expect: 'it goes' },
    { type: 'msg', detail: 'Say that it went.', expect: null },
  ]
  return ({ role, user }) => {
    if (role === 'planner') return { content: { goal: 'Wait', tasks } }
    if (role === 'messenger') return 'It went.'
    const wasInterrupted = user.includes('INTERRUPTED')
    return {
      content: wasInterrupted ? { status: 'replan', reason: 'It was interrupted.' } : { status: 'ok', reason: null },
    }
  }
}
