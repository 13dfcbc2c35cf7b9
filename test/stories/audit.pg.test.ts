/** The audit over the API: who did what, what it cost, live and sealed; never an output, never a secret. */
import { writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { ApiClient, type Watch } from '../harness/api-client.ts'
import { converse, send, Story, storyConfig, tokenOf, turnEnd, watchAll } from '../harness/story.ts'
import {
  AddParticipantDocument,
  AuditCheckDocument,
  AuditDocument,
  AuditEntryDocument,
  AuditTrailDocument,
  CancelTurnDocument,
  DeleteSessionDocument,
  EditQueuedMessageDocument,
  LearningsDocument,
  OpenSessionDocument,
  RankedTurnsDocument,
  SessionDocument,
  UpdateSessionDocument,
  UsageByDayDocument,
  UsageDocument,
  WithdrawMessageDocument,
  type AuditFilter,
  type AuditQuery,
  type AuditTrailSubscription,
} from '../generated/graphql.ts'
import { PATIENCE } from '../harness/patience.ts'
import { select } from '../harness/plugins.ts'

let story: Story
beforeAll(async () => {
  story = await Story.begin()
})
afterAll(() => story[Symbol.asyncDispose]())

type Entry = NonNullable<AuditQuery['audit']>['edges'][number]['node']

async function auditOf(filter: AuditFilter, place = story): Promise<Entry[]> {
  const { audit } = await place.as('ada').run(AuditDocument, { first: 100, filter })
  return audit.edges.map(({ node }) => node)
}

test('a turn leaves its model calls, its tasks and its reviews', async () => {
  const turn = await converse(story.as('ada'), 'cli:figures', 'run: echo very private output')
  const entries = await auditOf({ turnId: turn.id })
  expect(entries.filter(({ kind }) => kind === 'MODEL_CALL')).toHaveLength(turn.usage.calls)
  expect(entries.filter(({ kind }) => kind === 'TASK')).toMatchObject([
    { taskType: 'MSG', taskStatus: 'DONE' },
    { taskType: 'EXEC', taskStatus: 'DONE', detail: 'echo very private output', outputLength: 20 },
  ])
  expect(entries.filter(({ kind }) => kind === 'REVIEW')).toMatchObject([{ verdict: 'OK', hasLearning: false }])
  expect(new Set(entries.map(({ actor, tokenName }) => `${actor.name} ${tokenName}`))).toEqual(new Set(['ada ada']))
  for (const answer of turn.answers) expect(JSON.stringify(entries)).not.toContain(JSON.stringify(answer).slice(1, -1))
})

test('usage sums up what the turns say they cost', async () => {
  const turns = [
    await converse(story.as('ada'), 'cli:usage', 'run: echo one'),
    await converse(story.as('ada'), 'cli:usage', 'hello'),
  ]
  const sum = (of: (usage: (typeof turns)[number]['usage']) => number): number =>
    turns.reduce((total, { usage }) => total + of(usage), 0)
  const { usage } = await story.as('ada').run(UsageDocument, { by: 'SESSION' })
  expect(usage.find(({ key }) => key === 'cli:usage')?.usage).toMatchObject({
    calls: sum(({ calls }) => calls),
    inputTokens: sum(({ inputTokens }) => inputTokens),
    outputTokens: sum(({ outputTokens }) => outputTokens),
  })
})

test('usage by day and user, and the turns that took and cost most', async () => {
  const ada = story.as('ada')
  const turn = await converse(ada, 'cli:slow', 'run: sleep 0.5')
  const long = await converse(story.as('cleo'), '@cleo:long', 'word '.repeat(4000))
  const { usageByDay } = await ada.run(UsageByDayDocument, { by: 'USER' })
  const { usage } = await ada.run(UsageDocument, { by: 'USER' })
  const total = (name: string): number =>
    usageByDay.reduce((sum, { key, usage: { inputTokens } }) => sum + (key === name ? inputTokens : 0), 0)
  expect(usage.map(({ key }) => total(key))).toEqual(usage.map((row) => row.usage.inputTokens))
  expect(usageByDay.map(({ day }) => day)).toEqual(usageByDay.map(({ day }) => day).toSorted())
  const { rankedTurns: slowest } = await ada.run(RankedTurnsDocument, { by: 'DURATION' })
  expect(slowest.map(({ id }) => id)).toContain(turn.id)
  const durations = slowest.map(({ durationMs }) => durationMs ?? 0)
  expect(durations).toEqual(durations.toSorted((a, b) => b - a))
  const longest = await ada.run(RankedTurnsDocument, { by: 'TOKENS', first: 2 })
  expect(longest.rankedTurns.map(({ id }) => id)[0]).toBe(long.id)
  // No prices are configured.
  expect((await ada.run(RankedTurnsDocument, { by: 'COST' })).rankedTurns).toEqual([])
  const years = { from: '2024-01-01T00:00:00Z', to: '2026-01-01T00:00:00Z', by: 'USER' as const }
  await expect(ada.run(UsageByDayDocument, years)).rejects.toThrow('at most 366 days')
})

test('the audit of a day is intact, under a newest seal', async () => {
  const ada = story.as('ada')
  await converse(ada, 'cli:sealed', 'hello')
  const check = await vi.waitFor(async () => {
    const { auditCheck } = await ada.run(AuditCheckDocument, {})
    expect(auditCheck.entryCount).toBeGreaterThan(0)
    return auditCheck
  }, PATIENCE)
  expect(check).toMatchObject({ problem: null, complete: true, lateCount: 0 })
  expect(check.head?.hash).toMatch(/^[0-9a-f]{64}$/)
  expect(check.head?.number).toBe(check.sealCount)
  const before = await ada.run(AuditCheckDocument, { at: '2020-01-01T00:00:00Z' })
  expect(before.auditCheck).toMatchObject({ problem: null, complete: true, sealCount: 0, head: null })
})

test('what happens to a session from outside a turn is told with who did it, also after it was deleted', async () => {
  const ada = story.as('ada')
  const id = '@ben:changed'
  await story.as('ben').run(OpenSessionDocument, { input: { id } })
  await ada.run(AddParticipantDocument, { sessionId: id, user: 'cleo' })
  await story.as('ben').run(UpdateSessionDocument, { input: { id, description: 'Ours', metadata: { a: 1 } } })
  await ada.run(UpdateSessionDocument, { input: { id, description: 'Ours' } })
  await ada.run(DeleteSessionDocument, { id })
  const entries = await auditOf({ sessionId: id, kind: ['SESSION'] })
  expect(entries.toReversed()).toMatchObject([
    { sessionChange: 'OPENED', actor: { name: 'ben' }, tokenName: 'ben' },
    { sessionChange: 'UPDATED', sessionDetail: 'participant added: cleo', actor: { name: 'ada' } },
    { sessionChange: 'UPDATED', sessionDetail: 'description, metadata', actor: { name: 'ben' } },
    { sessionChange: 'DELETED', actor: { name: 'ada' } },
  ])
  const [newest] = entries
  const { node } = await ada.run(AuditEntryDocument, { id: newest?.id ?? '' })
  expect(node).toEqual(newest)
})

test('a message that opens its session, and a cancelled turn', async () => {
  const ben = story.as('ben')
  await send(ben, '@ben:stopped', 'run: sleep 30')
  await using watch = watchAll(ben, '@ben:stopped')
  await watch.until(({ sessionEvents: event }) => event.__typename === 'TaskUpdateEvent')
  await ben.run(CancelTurnDocument, { sessionId: '@ben:stopped' })
  const { turnId } = await turnEnd(watch)
  const entries = await auditOf({ sessionId: '@ben:stopped', kind: ['SESSION', 'TASK'] })
  expect(entries.filter(({ kind }) => kind === 'SESSION')).toMatchObject([
    { sessionChange: 'TURN_CANCELLED', turnId, actor: { name: 'ben' } },
    { sessionChange: 'OPENED', turnId: null, actor: { name: 'ben' } },
  ])
  expect(entries.filter(({ kind }) => kind === 'TASK')).toMatchObject([{}, { taskStatus: 'CANCELLED' }])
})

test('messages that wait, changed and withdrawn', async () => {
  const ben = story.as('ben')
  const gate = story.path('withdraw-gate')
  await send(ben, '@ben:waiting', `run: until [ -e ${gate} ]; do sleep 0.02; done`)
  const { message } = await send(ben, '@ben:waiting', 'later')
  await ben.run(EditQueuedMessageDocument, { id: message.id, content: 'later, please' })
  await story.as('ada').run(WithdrawMessageDocument, { id: message.id })
  await writeFile(gate, '')
  const entries = await auditOf({ sessionId: '@ben:waiting', kind: ['SESSION'] })
  expect(entries.slice(0, 2)).toMatchObject([
    { sessionChange: 'MESSAGE_WITHDRAWN', sessionDetail: message.id, actor: { name: 'ada' } },
    { sessionChange: 'MESSAGE_EDITED', sessionDetail: message.id, actor: { name: 'ben' } },
  ])
  expect(entries[0]?.turnId).toMatch(/^turn_/)
})

test('pages by cursor, newest first, by kind, actor and time', async () => {
  const ada = story.as('ada')
  await converse(story.as('cleo'), '@cleo:pages', 'hello')
  const filter: AuditFilter = { actor: 'cleo', sessionId: '@cleo:pages' }
  const all = await auditOf(filter)
  const paged: Entry[] = []
  for (let after: string | null = null; ;) {
    const { audit }: AuditQuery = await ada.run(AuditDocument, { first: 2, after, filter })
    paged.push(...audit.edges.map(({ node }) => node))
    if (!audit.pageInfo.hasNextPage) break
    after = audit.pageInfo.endCursor ?? null
  }
  expect(paged).toEqual(all)
  expect(all.length).toBeGreaterThan(3)
  const at = all[0]?.at ?? ''
  expect((await auditOf({ ...filter, to: at })).map(({ id }) => id)).not.toContain(all[0]?.id)
  expect((await auditOf({ ...filter, from: at })).every((entry) => entry.at >= at)).toBe(true)
})

test('access that was denied is told once, and then counted', async () => {
  await send(story.as('ben'), '@ben:private', 'hello')
  const cleo = story.as('cleo')
  for (let i = 0; i < 5; i += 1) {
    expect(await cleo.run(SessionDocument, { id: '@ben:private' })).toEqual({ session: null })
    await cleo.run(SessionDocument, { id: 'cli:nothing-there' })
    await cleo.request(LearningsDocument, {})
    expect((await new ApiClient(story.app.url, 'no-such-token').request(SessionDocument, { id: 'x' })).status).toBe(401)
  }
  await cleo.run(CancelTurnDocument, { sessionId: '@ben:private' })
  await using watch = watchAll(cleo, '@ben:private')
  expect(await watch.ended).toContain('NOT_FOUND')
  await expect.poll(async () => (await auditOf({ kind: ['ACCESS_DENIED'] })).length).toBeGreaterThanOrEqual(5)
  const entries = await auditOf({ kind: ['ACCESS_DENIED'] })
  expect(entries.toReversed()).toMatchObject([
    {
      denialReason: 'NOT_VISIBLE',
      field: 'Query.session',
      sessionId: '@ben:private',
      actor: { name: 'cleo' },
      tokenName: 'cleo',
      count: 1,
    },
    { denialReason: 'FORBIDDEN', field: 'Query.learnings', sessionId: null, actor: { name: 'cleo' }, count: 1 },
    {
      denialReason: 'UNKNOWN_TOKEN',
      field: 'Authorization',
      actor: { __typename: 'Stranger' },
      tokenName: null,
      count: 1,
    },
    { denialReason: 'NOT_VISIBLE', field: 'Mutation.cancelTurn', sessionId: '@ben:private' },
    { denialReason: 'NOT_VISIBLE', field: 'Subscription.sessionEvents', sessionId: '@ben:private' },
  ])
})

test('what a participant sees and may not do is recorded, too', async () => {
  const sessionId = '@ben:shared'
  await story.as('ben').run(OpenSessionDocument, { input: { id: sessionId, participants: ['cleo'] } })
  const { deleteSession } = await story.as('cleo').run(DeleteSessionDocument, { id: sessionId })
  expect(deleteSession).toMatchObject({ __typename: 'ConflictRefusal', reason: 'NOT_ALLOWED' })
  await expect
    .poll(() => auditOf({ kind: ['ACCESS_DENIED'], sessionId }))
    .toMatchObject([
      {
        denialReason: 'FORBIDDEN',
        field: 'Mutation.deleteSession',
        sessionId,
        actor: { name: 'cleo' },
        tokenName: 'cleo',
      },
    ])
})

type Trail = Watch<AuditTrailSubscription>

test('auditTrail tells everything of every process once, in the same order to all, by filter', async () => {
  await using beside = await Story.begin({ beside: story })
  const ada = story.as('ada')
  await using here: Trail = ada.watch(AuditTrailDocument, {})
  await using there: Trail = beside.as('ada').watchSse(AuditTrailDocument, {})
  await using tasks: Trail = ada.watch(AuditTrailDocument, { filter: { kind: ['TASK'], actor: 'ben' } })
  for (const trail of [here, there, tasks]) await trail.until(({ auditTrail }) => auditTrail.readList)
  const sessions = ['@ben:t1', '@ben:t2', '@ben:t3']
  await Promise.all(sessions.map((id, index) => converse((index === 1 ? beside : story).as('ben'), id, 'run: echo hi')))
  const expected = (await Promise.all(sessions.map((sessionId) => auditOf({ sessionId })))).flat()
  await Promise.all([here, there].map((trail) => seen(trail, expected)))
  const ids = (trail: Trail): string[] => trail.received.flatMap(({ auditTrail }) => auditTrail.entry?.id ?? [])
  const wanted = new Set(expected.map(({ id }) => id))
  // What was written shortly before may be sealed after.
  const after = (trail: Trail): string[] => ids(trail).filter((id) => wanted.has(id))
  expect(new Set(ids(here)).size).toBe(ids(here).length)
  expect(after(here)).toEqual(after(there))
  expect(new Set(after(here))).toEqual(wanted)
  const ofBen = expected.filter(({ kind }) => kind === 'TASK').map(({ id }) => id)
  await seen(
    tasks,
    expected.filter(({ id }) => ofBen.includes(id)),
  )
  expect(new Set(after(tasks))).toEqual(new Set(ofBen))
  const others = tasks.received.flatMap(({ auditTrail }) => auditTrail.entry ?? [])
  expect(others.filter(({ kind, actor }) => kind !== 'TASK' || actor.name !== 'ben')).toEqual([])
})

async function seen(trail: Trail, entries: readonly Entry[]): Promise<void> {
  for (const { id } of entries) await trail.until(({ auditTrail }) => auditTrail.entry?.id === id)
}

test('the configuration: taken over, refused, rights that change between plan and task; once for two processes', async () => {
  await using place = await Story.begin()
  await using beside = await Story.begin({ beside: place })
  const gate = place.path('gate')
  const other = storyConfig({ settings: { max_queued: 7 } })
  const ben = place.as('ben')
  await send(place.as('ada'), 'cli:demoted', `run: until [ -e ${gate} ]; do sleep 0.02; done\nsay: done`)
  await using watch = watchAll(place.as('ada'), 'cli:demoted')
  await watch.until(
    ({ sessionEvents: event }) => event.__typename === 'TaskUpdateEvent' && event.taskStatus === 'RUNNING',
  )
  const demoted = other
    .replace('role = "admin"', 'role = "user"\nskills = []')
    .replace('[users.cleo]\nrole = "user"\nskills = []', '[users.cleo]\nrole = "admin"')
  await place.reconfigure(`${demoted}[users.zoe]\nrole = "admin"\n`)
  await beside.app.reloadConfig()
  await place.reconfigure('max_queued = "many"')
  await beside.app.reloadConfig()
  await writeFile(gate, '')
  expect(await ben.run(SessionDocument, { id: 'cli:demoted' })).toEqual({ session: null })
  const read = async (): Promise<Entry[]> => {
    const { audit } = await place.as('cleo').run(AuditDocument, { filter: { kind: ['CONFIG'] } })
    return audit.edges.map(({ node }) => node).toReversed()
  }
  await expect.poll(async () => (await read()).length).toBe(3)
  const entries = await read()
  expect(entries).toMatchObject([
    {
      configChange: 'RELOADED',
      configDetail: expect.stringContaining('user zoe added; user ada has role USER instead of ADMIN') as string,
    },
    { configChange: 'REFUSED', configDetail: expect.stringContaining('max_queued') as string },
    {
      configChange: 'RIGHTS_CHANGED',
      actor: { name: 'ada' },
      configDetail: 'Rights of ada when the plan was made: role ADMIN, skills: all. Now: role USER, skills: none.',
    },
  ])
})

test('event streams that begin at the same time are no more than a user may have', async () => {
  await using _bound = await story.reconfigureForNow(storyConfig({ settings: { connections_per_user: 2 } }))
  const follow = (): Promise<Response> =>
    fetch(`${story.app.url}/graphql`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${tokenOf('ada')}`,
        'content-type': 'application/json',
        accept: 'text/event-stream, application/json',
      },
      body: JSON.stringify({ query: 'subscription { auditTrail { readList } }' }),
    })
  const answers = await Promise.all(Array.from({ length: 8 }, follow))
  const isStream = ({ headers }: Response): boolean => headers.get('content-type')?.includes('event-stream') === true
  // Other tests may still have some.
  expect(answers.filter(isStream).length).toBeLessThanOrEqual(2)
  await Promise.all(answers.map(async ({ body }) => body?.cancel()))
})

test('what only a newer version knows is shown as that, with the rest of the page', async () => {
  const entries = Object.entries({
    CONFIG: '{"change": "MOVED_TO_MARS", "detail": "at noon"}',
    SESSION: '{"change": "PAINTED", "detail": null}',
    ACCESS_DENIED: '{"field": "Query.mars", "reason": "TOO_FAR", "count": 1}',
  }).map(([kind, data], n) => `('aud_newer${n}', now() + interval '${n} ms', '${kind}', 'newer', '${data}')`)
  await select(story, `INSERT INTO audit_entries (id, at, kind, actor, data) VALUES ${entries.join()}`)
  expect(await auditOf({ actor: 'newer' })).toMatchObject([
    { denialReason: 'OTHER', field: 'Query.mars' },
    { sessionChange: 'OTHER', sessionDetail: null },
    { configChange: 'OTHER', configDetail: 'at noon' },
  ])
})
