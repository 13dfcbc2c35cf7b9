/**
 * Messages that the clock sends: they fire, into which session, as whom; and what becomes of a schedule when a run has
 * ended.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  CancelTurnDocument,
  RemoveParticipantDocument,
  ScheduleRunsDocument,
  SchedulesDocument,
  TriggerScheduleDocument,
  TurnDocument,
  type SchedulesQueryVariables,
} from '../generated/graphql.ts'
import type { ApiClient } from '../harness/api-client.ts'
import { passTime, readSchedule, reschedule, schedule, soon, untilSchedule } from '../harness/schedules.ts'
import { Story, storyConfig, watchAll } from '../harness/story.ts'
import { StubEndpoint } from '../model/stub-endpoint.ts'

let story: Story
beforeAll(async () => {
  story = await Story.begin()
})
afterAll(() => story?.[Symbol.asyncDispose]())

test('a single run fires at its time, as its user, into a session of its own, and is done when its turn has ended', async () => {
  const ben = story.as('ben')
  const runAt = soon(5)
  const { id, nextRunAt } = await schedule(ben, { content: 'Good morning', runAt })
  expect(nextRunAt).toBe(runAt)

  const { runs, ...after } = await untilSchedule(ben, id, ({ runs }) => runs[0]?.status === 'DONE')
  expect(after).toMatchObject({ nextRunAt: null, failures: 0, lastError: null, mode: 'DEDICATED' })
  expect(runs).toMatchObject([
    {
      status: 'DONE',
      triggered: false,
      dueAt: runAt,
      failure: null,
      session: {
        id: `schedule:${id}`,
        source: { kind: 'schedule', interactive: false, triggerId: id },
        participants: [{ name: 'ben' }],
      },
      turn: { status: 'DONE', message: { content: 'Good morning', trusted: true } },
    },
  ])
})

test('triggered, it runs at once, in a session of its own; meanwhile it is refused; cancelled, it has failed and is not tried again', async () => {
  const ada = story.as('ada')
  const { id } = await schedule(ada, { content: 'run: echo begun; sleep 600', cron: '0 0 1 1 *', mode: 'FRESH' })
  const first = await trigger(ada, id)
  if (first.__typename !== 'TriggerSchedulePayload') throw new Error(JSON.stringify(first))
  const { run } = first
  const sessionId = run.session?.id ?? ''
  expect(first).toMatchObject({
    run: { status: 'RUNNING', triggered: true, session: { id: `schedule:${id}.${run.id}` } },
  })
  await using watch = watchAll(ada, sessionId)
  await watch.until(({ sessionEvents: event }) => event.__typename === 'TaskOutputEvent' && event.text === 'begun\n')
  expect(await trigger(ada, id)).toMatchObject({ __typename: 'ConflictRefusal', code: 'CONFLICT' })

  await ada.run(CancelTurnDocument, { sessionId })
  const { runs, nextRunAt } = await untilSchedule(ada, id, ({ runs }) => runs[0]?.status !== 'RUNNING')
  expect(runs).toMatchObject([{ status: 'FAILED', turn: { status: 'CANCELLED' } }])
  expect(nextRunAt).toMatch(/-01-01T00:00:00\.000Z$/)

  await reschedule(ada, { id, content: 'Say hi' })
  await trigger(ada, id)
  const again = await untilSchedule(ada, id, ({ runs }) => runs.length === 2 && runs[0]?.status === 'DONE')
  expect(again.lastError).toBeNull()
  expect(again.runs[0]?.session?.id).not.toBe(sessionId)
})

test('when its turn fails the run has failed, and it is tried again half a minute later', async () => {
  await using model = await StubEndpoint.start({ always: { status: 402, body: { error: { message: 'No credit' } } } })
  const toml = `[providers.stub]\nbase_url = "${model.baseUrl}"\n[models]\nplanner = "stub:one"\n`
  await using _stub = await story.reconfigureForNow(storyConfig({ toml }))
  const ben = story.as('ben')
  const { id } = await schedule(ben, { content: 'Say hi', runAt: soon(3600) })
  await passTime(story.databaseUrl, [id])
  const { runs, ...after } = await untilSchedule(ben, id, ({ runs }) => runs[0]?.status === 'FAILED')
  expect(runs).toMatchObject([
    { turn: { status: 'FAILED' }, failure: expect.stringContaining('The language model cannot be used') },
  ])
  expect(after).toMatchObject({ failures: 1, lastError: runs[0]?.failure })
  expect(Date.parse(after.nextRunAt ?? '') - Date.parse(runs[0]?.finishedAt ?? '')).toBe(30_000)
  await reschedule(ben, { id, enabled: false })
})

test('it runs with the rights that its user has then: a demoted admin sees less, a removed user has it paused', async () => {
  const [ada, ben] = [story.as('ada'), story.as('ben')]
  const of = { ada: await schedule(ada, { content: 'run: id -u', cron: '0 0 1 1 *' }), ben: '' }
  of.ben = (await schedule(ben, { content: 'Say hi', cron: '0 0 1 1 *' })).id
  const withoutBen = storyConfig()
    .replace(/^\[users\.ben\][^]*(?=^\[users\.cleo\])/m, '')
    .replace(/^\[tokens\.ben\][^]*(?=^\[tokens\.cleo\])/m, '')
  await using _people = await story.reconfigureForNow(withoutBen)
  await passTime(story.databaseUrl, [of.ben])
  const paused = await untilSchedule(ada, of.ben, ({ enabled }) => !enabled)
  expect(paused).toMatchObject({
    pausedReason: expect.stringContaining('The user "ben", as whom it runs, is no longer configured. Delete it, or'),
    nextRunAt: null,
    runs: [{ status: 'SKIPPED', session: null, turn: null }],
  })

  await story.reconfigure(withoutBen.replace('role = "admin"', 'role = "user"\nskills = []'))
  await trigger(ada, of.ada.id)
  const { runs } = await untilSchedule(ada, of.ada.id, ({ runs }) => runs[0]?.status !== 'RUNNING')
  expect(runs).toMatchObject([{ status: 'DONE', session: { participants: [{ name: 'ada' }] } }])
  const { turn } = await ada.run(TurnDocument, { id: runs[0]?.turn?.id ?? '' })
  // An admin's commands run as the server's account, which is root here; a user's are confined.
  expect(turn?.plans[0]?.tasks[0]?.output).not.toBe('0\n')
  await expect(readSchedule(ada, of.ben)).rejects.toThrow('there is no schedule')
})

test('everybody sees their own schedules, page by page; admins see all; a session that one may not see looks absent', async () => {
  await using place = await Story.begin()
  const [ada, ben, cleo] = [place.as('ada'), place.as('ben'), place.as('cleo')]
  const ids: string[] = []
  for (const name of ['one', 'two', 'three'])
    ids.unshift((await schedule(ben, { name, content: 'x', cron: '0 9 * * *' })).id)
  const { id: ofAda } = await schedule(ada, { content: 'x', cron: '0 9 * * *', enabled: false })

  const page = await list(ben, { first: 2 })
  expect(page.ids).toEqual(ids.slice(0, 2))
  expect((await list(ben, { first: 2, after: page.endCursor })).ids).toEqual(ids.slice(2))
  expect((await list(ada)).ids).toEqual([ofAda, ...ids])
  expect((await list(ada, { filter: { user: 'ben' } })).ids).toEqual(ids)
  expect((await list(ada, { filter: { enabled: false } })).ids).toEqual([ofAda])
  expect((await list(cleo)).ids).toEqual([])
  expect((await list(place.as('bridge'))).ids).toEqual([])

  const { id } = await schedule(ben, { content: 'Say hi', cron: '0 0 1 1 *' })
  await trigger(ada, id)
  const done = await untilSchedule(ben, id, ({ runs }) => runs[0]?.status === 'DONE')
  const runId = done.runs[0]?.id ?? ''
  expect((await ben.run(ScheduleRunsDocument, { id: runId })).node).toMatchObject({ id: runId, schedule: { id } })
  expect((await cleo.run(ScheduleRunsDocument, { id: runId })).node).toBeNull()
  expect((await cleo.run(ScheduleRunsDocument, { id })).node).toBeNull()
  const participant = { sessionId: `schedule:${id}`, user: 'ben' }
  await ada.run(RemoveParticipantDocument, participant)
  expect((await readSchedule(ben, id)).runs).toMatchObject([{ status: 'DONE', session: null, turn: null }])
})

const trigger = async (client: ApiClient, id: string) =>
  (await client.run(TriggerScheduleDocument, { id })).triggerSchedule

async function list(client: ApiClient, variables: SchedulesQueryVariables = {}) {
  const { edges, pageInfo } = (await client.run(SchedulesDocument, variables)).schedules
  return { ids: edges.map(({ node }) => node.id), endCursor: pageInfo.endCursor ?? null }
}
