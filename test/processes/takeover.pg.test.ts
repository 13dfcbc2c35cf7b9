/**
 * A process dies by `kill -9` in the middle of a plan: what it was doing goes on elsewhere, and nothing is done twice.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Cluster, clientOf } from '../harness/cluster.ts'
import type { ServerProcess } from '../harness/server-process.ts'
import { addSkill } from '../harness/skills.ts'
import { answersIn, eventsOf, send, turnEnd, watchAll, type SessionEventData } from '../harness/story.ts'
import type { Watch } from '../harness/api-client.ts'
import { SessionPageDocument, type WatchSessionSubscription } from '../generated/graphql.ts'
import { StubEndpoint, type StubCall } from '../model/stub-endpoint.ts'

const SESSION = 'cli:takeover'

/** What the commands leave behind: each was run once, but for the third, which the review skipped. */
const MARKS = ['first', 'second', 'queued 1', 'queued 2']

/** Three commands, each of which leaves a mark; the second one says so and then never ends. */
function messageFor(marks: string): string {
  return [
    `run: echo first >> ${marks}`,
    `run: echo second >> ${marks}; echo begun; echo trouble >&2; sleep 600`,
    `run: echo third >> ${marks}`,
    'What became of it?',
  ].join('\n')
}

async function untilOutput(watch: Watch<WatchSessionSubscription>, ...texts: string[]): Promise<void> {
  for (const text of texts) {
    await watch.until(({ sessionEvents: event }) => event.__typename === 'TaskOutputEvent' && event.text.includes(text))
  }
}

/** What the subscriber on a surviving or new process must show of the turn that was taken over. */
async function expectContinued(server: ServerProcess): Promise<void> {
  const ada = clientOf(server, 'ada')
  await using watch = watchAll(ada, SESSION)
  await watch.until(
    ({ sessionEvents: event }) => event.__typename === 'TaskUpdateEvent' && event.taskStatus === 'INTERRUPTED',
  )
  expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'DONE' })
  expect(await turnEnd(watch, 2)).toMatchObject({ turnStatus: 'DONE' })
  expect(await turnEnd(watch, 3)).toMatchObject({ turnStatus: 'DONE' })

  const { session } = await ada.run(SessionPageDocument, { id: SESSION })
  const turns = session?.messages.edges.map(({ node }) => node.turn) ?? []
  expect(turns[0]?.plans[0]?.tasks).toMatchObject([
    { status: 'DONE', output: '', review: { verdict: 'OK' } },
    { status: 'INTERRUPTED', output: 'begun\n', exitCode: null, review: { verdict: 'REPLAN' } },
    { status: 'SKIPPED' },
    { status: 'SKIPPED' },
    { type: 'MSG', status: 'DONE' },
  ])
  expect(turns[0]?.plans[0]?.tasks[1]?.stderr).toMatch(/^trouble\n\n?The server stopped/)
  expect(turns[0]?.plans[1]?.replanReason).toContain('its outcome is unknown')
  expect(answersIn(watch).join('\n')).toContain('interrupted')

  const seqs = watch.received.map(({ sessionEvents }) => sessionEvents.seq)
  expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b))
  const runs = eventsOf(watch, 'TaskUpdateEvent').filter(({ taskStatus }) => taskStatus === 'RUNNING')
  const commands = runs.filter(({ task }) => task.type === 'EXEC').map(({ taskId }) => taskId)
  expect(commands).toHaveLength(new Set(commands).size)
}

/** Resolves when the second command is under way and two more messages wait. */
async function play(server: ServerProcess, cluster: Cluster): Promise<void> {
  const ada = clientOf(server, 'ada')
  const marks = cluster.path('marks')
  await send(ada, SESSION, messageFor(marks))
  await using watch = watchAll(ada, SESSION)
  await untilOutput(watch, 'begun', 'trouble')
  await send(ada, SESSION, `run: echo queued 1 >> ${marks}`)
  await send(ada, SESSION, `run: echo queued 2 >> ${marks}`)
}

describe('on one database', () => {
  let cluster: Cluster
  let server: ServerProcess
  beforeAll(async () => {
    cluster = await Cluster.begin()
    server = await cluster.start()
  })
  afterAll(() => cluster[Symbol.asyncDispose]())

  async function replaceServer(): Promise<void> {
    await server.kill()
    server = await cluster.start()
  }

  test('a skill that was under way is judged, not repeated', async () => {
    const sessionId = 'cli:skill'
    const marks = JSON.stringify(cluster.path('skill-marks'))
    const program = `import time\nopen(${marks}, "a").write("ran\\n")\nprint("begun", flush=True)\ntime.sleep(600)\n`
    addSkill(cluster.home, 'slow', { files: { 'run.py': program } })
    await send(clientOf(server, 'ada'), sessionId, 'skill: slow')
    {
      await using watch = watchAll(clientOf(server, 'ada'), sessionId)
      await untilOutput(watch, 'begun')
    }
    await replaceServer()
    await using watch = watchAll(clientOf(server, 'ada'), sessionId)
    expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'DONE' })
    const ended = eventsOf(watch, 'TaskUpdateEvent').find(({ taskStatus }) => taskStatus === 'INTERRUPTED')
    expect(ended?.task).toMatchObject({ skill: 'slow', status: 'INTERRUPTED', output: 'begun\n' })
    expect(await cluster.lines('skill-marks')).toEqual(['ran'])
  })

  test('a turn that has taken ten servers down with it is not tried again, and its user is told', async () => {
    const sessionId = 'cli:deadly'
    await send(clientOf(server, 'ada'), sessionId, 'run: echo begun; sleep 600')
    {
      await using watch = watchAll(clientOf(server, 'ada'), sessionId)
      await untilOutput(watch, 'begun')
    }
    await cluster.query('UPDATE turns SET takeovers = 9 WHERE session_id = $1', [sessionId])
    await replaceServer()
    await using watch = watchAll(clientOf(server, 'ada'), sessionId)
    expect(await turnEnd(watch)).toMatchObject({
      turnStatus: 'FAILED',
      failure: 'The server died 10 times while it worked on this. It is not tried again.',
    })
    expect(statusesOf(watch)).toEqual(['RUNNING', 'INTERRUPTED', 'CANCELLED', 'DONE'])
    expect(answersIn(watch)).toEqual(['The server died 10 times while it worked on this. It is not tried again.'])
  })

  test('another process goes on before the silence would tell: the command under way is judged, not repeated, and the queue follows', async () => {
    await play(server, cluster)
    const second = await cluster.start()
    await server.kill()
    // As if it had beaten just now, for ever: only that its connection and its process are gone can tell, however slow
    // the machine is.
    await cluster.query(`UPDATE nodes SET seen_at = now() + interval '1 hour'`)
    await expectContinued(second)
    expect(await cluster.lines('marks')).toEqual(MARKS)
  })
})

test('a single server that was killed goes on when it is started again on its embedded PostgreSQL', async () => {
  await using cluster = await Cluster.begin({ embedded: true })
  const server = await cluster.start()
  await play(server, cluster)
  await server.kill()
  await expectContinued(await cluster.start())
  expect(await cluster.lines('marks')).toEqual(MARKS)
})

test('what was done and not yet judged is judged, and the plan goes on with the next task', async () => {
  await using model = await StubEndpoint.start({ list: [] })
  await using cluster = await Cluster.begin({ config: { toml: stubModel(model) } })
  const script = holdFirstReview(['one', 'two'].map((mark) => `echo ${mark} >> ${cluster.path('marks')}`))
  model.follow({ by: script.answer })
  const first = await cluster.start()
  const second = await cluster.start()
  await send(clientOf(first, 'ada'), SESSION, 'Do both.')
  await script.firstReviewAsked
  const owner = first.logs.some((line) => line.msg === 'turn begins') ? first : second
  await using watch = watchAll(clientOf(owner === first ? second : first, 'ada'), SESSION)
  // The reviewer is asked while the command's end is being committed: only what has been seen is sure to be in the
  // rows.
  await watch.until(() => statusesOf(watch).includes('DONE'))
  await owner.kill()

  expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'DONE' })
  expect(await cluster.lines('marks')).toEqual(['one', 'two'])
  expect(statusesOf(watch)).toEqual(['RUNNING', 'DONE', 'RUNNING', 'DONE', 'RUNNING', 'DONE'])
  expect(model.calls.map(({ role }) => role)).toEqual(['planner', 'reviewer', 'reviewer', 'reviewer', 'messenger'])
})

function stubModel(model: StubEndpoint): string {
  return `[providers.stub]\nbase_url = "${model.baseUrl}"\n[models]\nplanner = "stub:one"\n`
}

/** A model that plans these commands, and leaves the first review without an answer. */
function holdFirstReview(commands: readonly string[]) {
  const { promise, resolve } = Promise.withResolvers<void>()
  const tasks = [
    ...commands.map((detail) => ({ type: 'exec', detail, expect: 'it works' })),
    { type: 'msg', detail: 'Say that both are done.', expect: null },
  ]
  let reviews = 0
  const answer = ({ role }: StubCall) => {
    if (role === 'planner') return { content: { goal: 'Do both', tasks } }
    if (role === 'messenger') return 'Both are done.'
    reviews += 1
    if (reviews > 1) return { content: { status: 'ok', reason: null } }
    return () => resolve()
  }
  return { answer, firstReviewAsked: promise }
}

function statusesOf(watch: Watch<WatchSessionSubscription>): unknown[] {
  return eventsOf(watch, 'TaskUpdateEvent').map(
    (event: SessionEventData & { taskStatus?: unknown }) => event.taskStatus,
  )
}
