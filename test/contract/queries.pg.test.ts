/** Queries: what they show, page by page, and what they refuse. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Viewer } from '../../src/core/identity.ts'
import { AGENT_ROLES } from '../../src/core/model-call.ts'
import { newId } from '../../src/platform/id.ts'
import * as api from '../generated/graphql.ts'
import { createSchemaWorld, type SchemaWorld, type TokenName } from './schema-world.ts'
import { seedSession, type SeededSession } from './seed.ts'

let it: SchemaWorld
let demo: SeededSession
const noon = Date.parse('2026-11-21T12:00:00.000Z')

beforeAll(async () => {
  it = await createSchemaWorld()
  const { database } = it.world.context
  demo = await seedSession(database, { id: 'demo:1', participants: ['bob', 'gone'], messages: 7, newestTurn: 'QUEUED' })
  for (let n = 0; n < 7; n++) {
    // Three at the same moment: the id decides.
    const lastActivityAt = new Date(noon + Math.min(n, 4) * 1000)
    await seedSession(database, { id: `list:${n}`, participants: ['carol'], sourceKind: 'list', lastActivityAt })
  }
})
afterAll(async () => {
  await it[Symbol.asyncDispose]()
})

const list = { sourceKind: ['list'] }

async function listed(as: 'alice' | 'carol' | 'bob', filter: api.SessionFilter): Promise<string[]> {
  const { data, codes } = await it.run(as, api.SessionsDocument, { filter })
  expect(codes).toEqual([])
  return data.sessions.edges.map((edge) => edge.node.id)
}

describe('sessions', () => {
  const newestFirst = ['list:6', 'list:5', 'list:4', 'list:3', 'list:2', 'list:1', 'list:0']

  test('newest activity first, the same moment by id', async () => {
    expect(await listed('alice', list)).toEqual(newestFirst)
  })

  test('page by page, while others become active: nothing twice, nothing missing', async () => {
    const { database } = it.world.context
    const seen: string[] = []
    let after: string | null = null
    for (let page = 0; page < 4; page++) {
      const { data }: { data: api.SessionsQuery } = await it.run('carol', api.SessionsDocument, {
        first: 2,
        after,
        filter: list,
      })
      seen.push(...data.sessions.edges.map((edge) => edge.node.id))
      expect(data.sessions.pageInfo).toEqual({
        hasNextPage: page < 3,
        hasPreviousPage: page > 0,
        startCursor: data.sessions.edges[0]?.cursor,
        endCursor: data.sessions.edges.at(-1)?.cursor,
      })
      after = data.sessions.pageInfo.endCursor
      const lastActivityAt = new Date(noon + 3_600_000 + page)
      await seedSession(database, { id: `newer:${page}`, participants: ['carol'], sourceKind: 'list', lastActivityAt })
    }
    expect(seen).toEqual(newestFirst)
    await database.prisma.session.deleteMany({ where: { id: { startsWith: 'newer' } } })
  })

  test('filters: together they all must match, empty ones do not count', async () => {
    const { database } = it.world.context
    await seedSession(database, { id: 'f:1', sourceKind: 'f', description: '100% Coffee_Beans', status: 'RUNNING' })
    await seedSession(database, { id: 'f:2', sourceKind: 'f', description: '1000 coffee beans', participants: ['bob'] })
    await seedSession(database, { id: 'f:3', sourceKind: 'f', description: null as never, status: 'INACTIVE' })
    const f = { sourceKind: ['f'] }
    expect(await listed('alice', f)).toEqual(['f:2', 'f:1'])
    expect(await listed('alice', { ...f, includeInactive: true })).toEqual(['f:3', 'f:2', 'f:1'])
    expect(await listed('alice', { ...f, status: ['INACTIVE'] })).toEqual(['f:3'])
    expect(await listed('alice', { ...f, status: [], participant: null })).toEqual(['f:2', 'f:1'])
    expect(await listed('alice', { ...f, status: ['IDLE', 'RUNNING'], participant: 'bob' })).toEqual(['f:2'])
    expect(await listed('alice', { ...f, search: 'COFFEE' })).toEqual(['f:2', 'f:1'])
    expect(await listed('alice', { ...f, search: '100% c' })).toEqual(['f:1'])
    expect(await listed('alice', { ...f, search: 'coffee_b' })).toEqual(['f:1'])
    expect(await listed('alice', { ...f, search: '\\' })).toEqual([])
    expect(await listed('alice', { participant: 'nobody\0' })).toEqual([])
    await seedSession(database, { id: 'f:4', sourceKind: 'f', type: 'GROUP', participants: ['bob'] })
    expect(await listed('alice', { ...f, conversationType: 'GROUP' })).toEqual(['f:4'])
    expect(await listed('alice', { ...f, conversationType: 'DIRECT' })).toEqual(['f:2', 'f:1'])
    expect(await listed('bob', { ...f, conversationType: 'GROUP' })).toEqual(['f:4'])
    expect(await listed('carol', { ...f, conversationType: 'GROUP' })).toEqual([])
  })

  test('a namespace is no pattern', async () => {
    const { database } = it.world.context
    await seedSession(database, { id: 'my_app:1' })
    await seedSession(database, { id: 'myXapp:1' })
    const viewer: Viewer = { tokenName: 't', tokenKind: 'CONNECTOR', namespace: 'my_app', user: null, role: 'USER' }
    const { data } = await it.run(viewer, api.SessionsDocument, {})
    expect(data.sessions.edges.map((edge) => edge.node.id)).toEqual(['my_app:1'])
    expect((await it.run(viewer, api.NodeDocument, { id: 'myXapp:1' })).data.node).toBeNull()
  })
})

describe("a session's lists", () => {
  const contents = (page: api.SessionMessagesQuery): string[] =>
    page.session?.messages.edges.map((edge) => edge.node.content.replace('message ', '')) ?? []

  async function messages(args: Omit<api.SessionMessagesQueryVariables, 'id'>): Promise<api.SessionMessagesQuery> {
    const { data, codes } = await it.run('bob', api.SessionMessagesDocument, { id: 'demo:1', ...args })
    expect(codes).toEqual([])
    return data
  }

  test('messages from the front and from the end, in the order of the conversation', async () => {
    const first = await messages({ first: 3 })
    expect(contents(first)).toEqual(['0', '1', '2'])
    expect(first.session?.messages.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false })
    const second = await messages({ first: 100, after: first.session?.messages.pageInfo.endCursor ?? null })
    expect(contents(second)).toEqual(['3', '4', '5', '6'])
    expect(second.session?.messages.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true })

    const last = await messages({ last: 2 })
    expect(contents(last)).toEqual(['5', '6'])
    expect(last.session?.messages.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true })
    const older = await messages({ last: 3, before: last.session?.messages.pageInfo.startCursor ?? null })
    expect(contents(older)).toEqual(['2', '3', '4'])
    expect(older.session?.messages.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: true })

    const [from, to] = [
      first.session?.messages.pageInfo.endCursor ?? '',
      last.session?.messages.pageInfo.startCursor ?? '',
    ]
    expect(contents(await messages({ first: 10, after: from, before: to }))).toEqual(['3', '4'])
    expect(contents(await messages({ last: 1, after: from, before: to }))).toEqual(['4'])
  })

  test('turns, oldest first', async () => {
    const first = await it.run('bob', api.SessionTurnsDocument, { id: 'demo:1', first: 5 })
    const after = first.data.session?.turns.pageInfo.endCursor ?? null
    const second = await it.run('bob', api.SessionTurnsDocument, { id: 'demo:1', after })
    const turns = [...(first.data.session?.turns.edges ?? []), ...(second.data.session?.turns.edges ?? [])]
    expect(turns.map((edge) => edge.node.id)).toEqual(demo.turnIds)
    expect(turns.map((edge) => edge.node.durationMs)).toEqual([1500, 1500, 1500, 1500, 1500, 1500, null])
  })

  test('tasks, newest first, with the same filter as the list of all tasks', async () => {
    const newestFirst = [...demo.taskIds].sort().toReversed()
    const all: string[] = []
    for (let after: string | null = null; all.length < 14;) {
      const { data }: { data: api.SessionTasksQuery } = await it.run('bob', api.SessionTasksDocument, {
        id: 'demo:1',
        first: 5,
        after,
      })
      all.push(...(data.session?.tasks.edges.map((edge) => edge.node.id) ?? []))
      after = data.session?.tasks.pageInfo.endCursor ?? null
      expect(data.session?.tasks.pageInfo.hasNextPage).toBe(all.length < 14)
    }
    expect(all).toEqual(newestFirst)

    const [turnId = ''] = demo.turnIds
    const filters: [api.TaskFilter, number][] = [
      [{}, 14],
      [{ type: ['EXEC'] }, 7],
      [{ type: [], status: ['DONE', 'FAILED'] }, 14],
      [{ status: ['FAILED'] }, 0],
      [{ turnId }, 2],
      [{ turnId, type: ['MSG'] }, 1],
      [{ sessionId: 'list:1' }, 0],
      [{ turnId: '\0' }, 0],
    ]
    for (const [filter, count] of filters) {
      const inSession = await it.run('bob', api.SessionTasksDocument, { id: 'demo:1', filter })
      expect(inSession.data.session?.tasks.edges).toHaveLength(count)
      const everywhere = await it.run('bob', api.TasksDocument, { filter })
      expect(everywhere.data.tasks.edges.map((edge) => edge.node.id)).toEqual(
        inSession.data.session?.tasks.edges.map((edge) => edge.node.id),
      )
    }
  })

  test('all tasks page by page', async () => {
    const first = await it.run('bob', api.TasksDocument, { first: 9 })
    const second = await it.run('bob', api.TasksDocument, { first: 9, after: first.data.tasks.pageInfo.endCursor })
    const ids = [...first.data.tasks.edges, ...second.data.tasks.edges].map((edge) => edge.node.id)
    expect(ids).toEqual([...demo.taskIds].sort().toReversed())
  })

  test('events of the log, in order; those of a newer version are left out', async () => {
    const { prisma } = it.world.context.database
    await prisma.event.create({ data: { sessionId: 'demo:1', seq: 99, at: new Date(noon), type: 'Unheard', data: {} } })
    const { data } = await it.run('bob', api.SessionEventsDocument, { id: 'demo:1', after: '60' })
    expect(data.session?.events.edges.map(({ node }) => node)).toMatchObject([
      { __typename: 'MessageReceivedEvent', seq: 61, sessionId: 'demo:1', message: { content: 'message 6' } },
      { __typename: 'PipelineStepEvent', seq: 62, turnId: demo.turnIds[6], step: 'RECEIVED', detail: null },
      { __typename: 'PlanCreatedEvent', seq: 63, plan: { goal: 'goal 6', tasks: [{ index: 0 }, { index: 1 }] } },
      { __typename: 'TaskUpdateEvent', seq: 64, taskStatus: 'DONE', task: { output: 'hi\n' } },
    ])
    const page = await it.run('bob', api.SessionEventsDocument, { id: 'demo:1', after: '0', first: 3 })
    expect(page.data.session?.events.edges.map(({ node }) => node.seq)).toEqual([1, 2, 3])
  })
})

describe('what a session shows', () => {
  test('participants that the configuration knows, counters beyond 32 bits, its queue', async () => {
    const { data } = await it.run('bob', api.SessionDocument, { id: 'demo:1' })
    expect(data.session).toMatchObject({
      participants: [{ name: 'bob', role: 'USER' }],
      usage: { calls: 21, inputTokens: 5_000_000_000, outputTokens: 0, cost: null },
      metadata: {},
      activeTurn: null,
      lastActivityAt: '2026-11-21T12:00:00.000Z',
    })
    const page = await it.run('bob', api.SessionPageDocument, { id: 'demo:1', last: 2 })
    expect(page.data.session?.messages.edges.map(({ node }) => node)).toMatchObject([
      {
        status: 'DONE',
        queuePosition: null,
        turn: { step: null, plans: [{ tasks: [{ review: { verdict: 'OK' } }, { review: null }] }] },
      },
      { status: 'QUEUED', queuePosition: 0, turn: { status: 'QUEUED', durationMs: null } },
    ])
  })

  test('places in the queue count from 0; the running turn is not in it', async () => {
    const { database } = it.world.context
    const busy = await seedSession(database, { id: 'busy:1', participants: ['bob'], messages: 4, newestTurn: 'QUEUED' })
    const waiting = busy.turnIds.slice(1)
    await database.prisma.turn.updateMany({ where: { id: { in: waiting } }, data: { status: 'QUEUED' } })
    await database.prisma.message.updateMany({ where: { turn: { id: { in: waiting } } }, data: { status: 'QUEUED' } })
    await database.prisma.turn.update({
      where: { id: busy.turnIds[0] ?? '' },
      data: { status: 'RUNNING', step: 'PLANNING' },
    })
    const { data } = await it.run('bob', api.SessionPageDocument, { id: 'busy:1' })
    expect(data.session?.activeTurn).toMatchObject({ id: busy.turnIds[0], step: 'PLANNING' })
    expect(data.session?.messages.edges.map(({ node }) => node.queuePosition)).toEqual([null, 0, 1, 2])
  })
})

describe('one thing by its id', () => {
  test('node finds every kind by its prefix', async () => {
    const ids = {
      Session: 'demo:1',
      Message: demo.messageIds[0],
      Turn: demo.turnIds[0],
      Plan: demo.planIds[0],
      Task: demo.taskIds[0],
    }
    for (const [type, id = ''] of Object.entries(ids)) {
      const { data } = await it.run('bob', api.NodeDocument, { id })
      expect(data.node).toMatchObject({ __typename: type, id })
    }
  })

  test.each(['', 'demo:2', '\0', '\ud800', `demo:${'x'.repeat(300)}`, newId('message'), newId('task'), newId('plan')])(
    '%j is nothing',
    async (id) => {
      expect((await it.run('alice', api.NodeDocument, { id })).data).toEqual({ node: null })
      expect((await it.run('alice', api.SessionDocument, { id })).data).toEqual({ session: null })
      for (const document of [api.MessageDocument, api.TurnDocument, api.TaskDocument]) {
        const answer = await it.run('alice', document as typeof api.MessageDocument, { id })
        expect([Object.values(answer.data), answer.codes]).toEqual([[null], []])
      }
    },
  )

  test('message, turn and task lead to one another', async () => {
    const [id = ''] = demo.turnIds
    const { data } = await it.run('bob', api.TurnDocument, { id })
    expect(data.turn).toMatchObject({
      session: { id: 'demo:1' },
      message: { id: demo.messageIds[0] },
      plans: [{ attempt: 1, tasks: [{ type: 'EXEC' }, { type: 'MSG' }] }],
      tasks: [{ index: 0 }, { index: 1, final: true }],
    })
    const task = await it.run('bob', api.TaskDocument, { id: data.turn?.tasks[0]?.id ?? '' })
    expect(task.data.task).toMatchObject({ turn: { id }, plan: { attempt: 1 }, exitCode: 0, durationMs: 1500 })
    const message = await it.run('bob', api.MessageDocument, { id: data.turn?.message.id ?? '' })
    expect(message.data.message).toMatchObject({ turn: { id }, user: 'bob', createdAt: '2026-11-21T12:00:00.000Z' })
  })
})

describe('arguments that no state could make right are BAD_USER_INPUT', () => {
  const turnsCursor = Buffer.from('["turns1",1]').toString('base64url')
  test.each([
    ['sessions(first: 0)', '"first" must be 1 to 100; it is 0.'],
    ['sessions(first: 101)', '"first" must be 1 to 100; it is 101.'],
    ['sessions(after: "x")', '"after" is not a cursor'],
    [`sessions(after: "${turnsCursor}")`, '"after" is not a cursor'],
    ['tasks(first: -1)', '"first" must be 1 to 100'],
    [`sessions(filter: { search: "${'x'.repeat(201)}" })`, '"search" must be at most 200 characters'],
  ])('%s', async (field, message) => {
    const { data, codes, messages } = await it.run('alice', `{ ${field} { edges { cursor } } }`)
    expect([data, codes, messages]).toEqual([null, ['BAD_USER_INPUT'], [expect.stringContaining(message)]])
  })

  test.each([
    ['messages(first: 1, last: 1) { edges { cursor } }', 'Pass "first" or "last", not both.'],
    ['messages(last: 0) { edges { cursor } }', '"last" must be 1 to 100; it is 0.'],
    [`messages(before: "${turnsCursor}") { edges { cursor } }`, '"before" is not a cursor'],
    ['events(first: 501) { edges { cursor } }', '"first" must be 1 to 500; it is 501.'],
  ])('session { %s }', async (field, message) => {
    const { codes, messages } = await it.run('bob', `{ session(id: "demo:1") { ${field} } }`)
    expect([codes, messages]).toEqual([['BAD_USER_INPUT'], [expect.stringContaining(message)]])
  })
})

test('viewer: who asks', async () => {
  expect((await it.run('bob', api.ViewerDocument)).data.viewer).toEqual({
    tokenName: 'bob',
    tokenKind: 'USER',
    namespace: null,
    ownNamespace: '@bob',
    role: 'USER',
    user: { name: 'bob', role: 'USER' },
    allowedSkills: [],
  })
  expect((await it.run('discord', api.ViewerDocument)).data.viewer).toMatchObject({ namespace: 'discord', user: null })
})

test('server: what it runs on, and how busy it is', async () => {
  const { prisma } = it.world.context.database
  // Beside the nine of the world, which live: one that lives, one that is silent, one that was evicted.
  await prisma.node.createMany({
    data: [{ id: 11 }, { id: 12 }, { id: 13, evictedAt: new Date() }],
  })
  // A node counts as long as it was seen lately, and those of the world were seen when it was made.
  await prisma.node.updateMany({ data: { seenAt: new Date(Date.now() + 3_600_000) } })
  await prisma.node.update({ where: { id: 12 }, data: { seenAt: new Date(noon) } })
  expect((await it.run('alice', api.ServerDocument)).data.server).toEqual({
    version: '0.0.0',
    startedAt: '2026-11-21T15:30:00.000Z',
    paused: false,
    database: 'PostgreSQL 18.1 (embedded)',
    rehearsal: true,
    models: AGENT_ROLES.map((role) => ({ role, provider: 'rehearsal', model: 'rehearsal' })),
    sandbox: { available: false, reason: 'no bubblewrap', fix: 'apt install bubblewrap' },
    nodes: 10,
    queuedTurns: 4,
    runningTurns: 1,
  })
  // What happens in sessions that one may not see is not counted either.
  const busyFor = async (name: TokenName): Promise<readonly number[]> => {
    const { queuedTurns, runningTurns } = (await it.run(name, api.ServerDocument)).data.server
    return [queuedTurns, runningTurns]
  }
  const seen = { bob: await busyFor('bob'), carol: await busyFor('carol'), discord: await busyFor('discord') }
  expect(seen).toEqual({ bob: [4, 1], carol: [0, 0], discord: [0, 0] })
})
