/** Session.view: what it shows, that all of it is of one moment, and what reading it costs. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { must } from '../../src/platform/must.ts'
import { recordStatements } from './record-statements.ts'
import { createSchemaWorld, type SchemaWorld } from './schema-world.ts'
import { seedApproval } from './seed-approval.ts'
import { seedKnowledge } from './seed-knowledge.ts'
import { seedSession, type SeededSession } from './seed.ts'

const VIEW = `view {
  version status queueLength
  activeTurn { step turn { id status } plan { goal tasks { detail status } } progress { done total task { detail } output } }
  queue { position message { content } }
  approvals { id status task { detail } }
  questions { content status }
  usage { calls inputTokens }
}`

interface View {
  readonly version: number
  readonly status: string
  readonly queueLength: number
  readonly activeTurn: {
    readonly step: string | null
    readonly turn: { readonly id: string; readonly status: string }
    readonly plan: { readonly goal: string; readonly tasks: readonly { readonly detail: string }[] } | null
    readonly progress: {
      readonly done: number
      readonly total: number
      readonly task: { readonly detail: string } | null
      readonly output: string | null
    }
  } | null
  readonly queue: readonly { readonly position: number; readonly message: { readonly content: string } }[]
  readonly approvals: readonly { readonly task: { readonly detail: string } }[]
  readonly questions: readonly { readonly content: string }[]
}

let it: SchemaWorld
beforeAll(async () => {
  it = await createSchemaWorld()
})
afterAll(async () => {
  await it[Symbol.asyncDispose]()
})

async function viewOf(sessionId: string, fields = VIEW): Promise<View> {
  const { data, codes } = await it.run<{ session: { view: View } }, object>(
    'bob',
    `query ($id: ID!) { session(id: $id) { ${fields} } }`,
    {
      id: sessionId,
    },
  )
  expect(codes).toEqual([])
  return data.session.view
}

/** Three messages: the first is done, the second runs and waits for an approval, the third waits. */
async function seedBusy(id: string, sourceKind = 'cli'): Promise<SeededSession> {
  const { database } = it.world.context
  const session = await seedSession(database, {
    id,
    sourceKind,
    participants: ['bob'],
    messages: 3,
    newestTurn: 'QUEUED',
  })
  const turnId = must(session.turnIds[1], 'a turn')
  const taskId = must(session.taskIds[3], 'its text')
  await it.world.sql("UPDATE turns SET status = 'RUNNING', step = 'EXECUTING' WHERE id = $1", turnId)
  await it.world.sql("UPDATE tasks SET status = 'AWAITING_APPROVAL' WHERE id = $1", taskId)
  await it.world.sql("UPDATE sessions SET status = 'RUNNING', queue_length = 1 WHERE id = $1", id)
  await seedApproval(database, { sessionId: id, turnId, taskId })
  await seedKnowledge(database, session)
  return session
}

test('a session at rest', async () => {
  await seedSession(it.world.context.database, { id: 'view:rest', participants: ['bob'], messages: 1 })
  expect(await viewOf('view:rest')).toEqual({
    version: 10,
    status: 'IDLE',
    queueLength: 0,
    activeTurn: null,
    queue: [],
    approvals: [],
    questions: [],
    usage: { calls: 3, inputTokens: 5_000_000_000 },
  })
})

test('a session with a turn that waits for an approval, and messages that wait behind it', async () => {
  const { turnIds, messageIds } = await seedBusy('view:busy')
  const { database } = it.world.context
  // Settled ones, and those of others, are none of a page's business.
  await it.world.sql("UPDATE questions SET status = 'RESOLVED' WHERE session_id IS NULL")
  await it.world.sql('UPDATE messages SET content = $2 WHERE id = $1', must(messageIds[2], 'the last'), 'next, please')
  await seedBusy('view:other')
  await database.prisma.question.create({
    data: {
      id: 'q_view',
      content: 'Old?',
      norm: 'old',
      sessionId: 'view:busy',
      source: 'ADMIN',
      status: 'RESOLVED',
      createdAt: new Date(),
    },
  })
  expect(await viewOf('view:busy')).toEqual({
    version: 30,
    status: 'RUNNING',
    queueLength: 1,
    activeTurn: {
      step: 'EXECUTING',
      turn: { id: turnIds[1], status: 'RUNNING' },
      plan: {
        goal: 'goal 1',
        tasks: [
          { detail: 'echo hi', status: 'DONE' },
          { detail: 'say hi', status: 'AWAITING_APPROVAL' },
        ],
      },
      progress: { done: 1, total: 2, task: { detail: 'say hi' }, output: null },
    },
    queue: [{ position: 0, message: { content: 'next, please' } }],
    approvals: [{ id: expect.stringMatching(/^appr_/), status: 'PENDING', task: { detail: 'say hi' } }],
    questions: [{ content: 'Which port has view:busy?', status: 'OPEN' }],
    usage: { calls: 9, inputTokens: 5_000_000_000 },
  })
})

test('the plan is the newest one of the turn', async () => {
  const { turnIds } = await seedBusy('view:replanned')
  const turnId = must(turnIds[1], 'a turn')
  await it.world.context.database.prisma.plan.create({
    data: {
      id: 'plan_again',
      sessionId: 'view:replanned',
      turnId,
      attempt: 2,
      goal: 'another way',
      createdAt: new Date(),
    },
  })
  const { activeTurn } = await viewOf('view:replanned')
  expect(activeTurn).toMatchObject({
    plan: { goal: 'another way', tasks: [] },
    progress: { done: 0, total: 0, task: null },
  })
})

test('what the task has written so far: its pieces since it was begun, up to the version', async () => {
  const { turnIds, taskIds } = await seedBusy('view:writing')
  const [turnId, taskId] = [must(turnIds[1], 'a turn'), must(taskIds[3], 'its text')]
  const piece = (delta: string): object => ({ taskId, delta, content: null, final: false })
  const running = { taskId, status: 'RUNNING' }
  const log: [type: string, data: object][] = [
    ['TaskUpdate', running],
    ['TextDelta', piece('given up ')],
    ['TaskUpdate', running],
    ['TextDelta', piece('Hello ')],
    ['TextDelta', { ...piece('of another'), taskId: taskIds[0] }],
    ['TextDelta', piece('world')],
    ['TextDelta', piece(' and beyond')],
  ]
  await it.world.sql("UPDATE tasks SET status = 'RUNNING' WHERE id = $1", taskId)
  await it.world.context.database.prisma.event.createMany({
    data: log.map(([type, data], n) => ({
      sessionId: 'view:writing',
      seq: 40 + n,
      at: new Date(),
      turnId,
      type,
      data,
    })),
  })
  await it.world.sql("UPDATE sessions SET last_seq = 45 WHERE id = 'view:writing'")
  expect((await viewOf('view:writing')).activeTurn?.progress).toMatchObject({
    task: { detail: 'say hi' },
    output: 'Hello world',
  })
})

test('everything in a view is of one moment, whatever is committed meanwhile', async () => {
  const { database } = it.world.context
  const { turnIds, messageIds, planIds, taskIds } = await seedBusy('view:moving')
  const writeAll = (n: number): Promise<unknown> =>
    database.prisma.$transaction(async (transaction) => {
      const text = String(n)
      await transaction.session.update({ where: { id: 'view:moving' }, data: { lastSeq: n } })
      await transaction.message.update({ where: { id: must(messageIds[2], 'last') }, data: { content: text } })
      await transaction.plan.update({ where: { id: must(planIds[1], 'plan') }, data: { goal: text } })
      await transaction.task.updateMany({ where: { turnId: must(turnIds[1], 'turn') }, data: { detail: text } })
      await transaction.question.updateMany({ where: { sessionId: 'view:moving' }, data: { content: text } })
    })
  expect(taskIds).toHaveLength(6)
  await writeAll(100)
  let written = 100
  const enough = new AbortController()
  const writer = (async () => {
    while (!enough.signal.aborted) await writeAll((written += 1))
  })()
  const versions = new Set<number>()
  while (versions.size < 20) {
    const { version, activeTurn, queue, approvals, questions } = await viewOf('view:moving')
    const text = String(version)
    versions.add(version)
    expect({ activeTurn, queue, approvals, questions }).toMatchObject({
      activeTurn: {
        plan: { goal: text, tasks: [{ detail: text }, { detail: text }] },
        progress: { task: { detail: text } },
      },
      queue: [{ message: { content: text } }],
      approvals: [{ task: { detail: text } }],
      questions: [{ content: text }],
    })
  }
  enough.abort()
  await writer
})

test('twenty views cost as many statements as one, and one without rows costs one snapshot of one statement', async () => {
  for (let n = 0; n < 20; n++) await seedBusy(`many:${n}`, 'many')
  const cost = (first: number, fields: string): Promise<string[]> =>
    recordStatements(async () => {
      const document = `query ($first: Int!) { sessions(first: $first, filter: { sourceKind: ["many"] }) { edges { node { ${fields} } } } }`
      const { data, codes } = await it.run<{ sessions: { edges: unknown[] } }, object>('bob', document, { first })
      expect(codes).toEqual([])
      expect(data.sessions.edges).toHaveLength(first)
    })
  const list = (await cost(1, 'id')).length
  const one = await cost(1, VIEW)
  expect(one.filter((text) => text === 'BEGIN' || text === 'COMMIT')).toEqual(['BEGIN', 'COMMIT'])
  expect(await cost(20, VIEW)).toHaveLength(one.length)
  // BEGIN, its isolation level, where things stand, eight reads of rows, COMMIT; and the outputs.
  expect(one.length - list).toBe(13)
  const bare = await cost(20, 'view { version status activeTurn { step progress { done total } } }')
  expect(bare.length - list).toBe(4)
})

test('a session that the viewer may not see has no view', async () => {
  await seedBusy('view:hidden')
  const { data, codes } = await it.run<{ session: null }, object>('carol', `{ session(id: "view:hidden") { ${VIEW} } }`)
  expect({ data, codes }).toEqual({ data: { session: null }, codes: [] })
})
