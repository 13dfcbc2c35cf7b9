/**
 * Lists that stay live: each subscription begins with "read your list", then tells of each change, from any process.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newWebhookSecret } from '../../src/config/access/webhook-secret.ts'
import * as api from '../generated/graphql.ts'
import type { Watch } from '../harness/api-client.ts'
import { untilFollowed } from '../harness/ask-operators.ts'
import { schedule } from '../harness/schedules.ts'
import { converse, eventsOf, send, Story, turnEnd, watchAll } from '../harness/story.ts'

let here: Story
let there: Story
beforeAll(async () => {
  here = await Story.begin({
    config: {
      settings: { webhook_allow_list: ['127.0.0.1'] },
      tokens: { ada: `webhook_secret = "${newWebhookSecret()}"` },
    },
  })
  there = await Story.begin({ beside: here })
})
afterAll(async () => {
  await there[Symbol.asyncDispose]()
  await here[Symbol.asyncDispose]()
})

/** The first update of each asks to read the list; what changes from now on is told. */
async function begun(...watches: readonly Watch<object>[]): Promise<void> {
  for (const watch of watches) {
    const first = await watch.until(() => true)
    expect(Object.values(first)).toMatchObject([{ readList: true }])
  }
}

test('schedules are told to the user whose they are and to admins, until after they are deleted', async () => {
  const ben = here.as('ben')
  await using bens = here.as('ben').watch(api.ScheduleUpdatesDocument, {})
  await using cleos = here.as('cleo').watch(api.ScheduleUpdatesDocument, {})
  await using adas = there.as('ada').watchSse(api.ScheduleUpdatesDocument, {})
  await begun(bens, cleos, adas)

  const { id } = await schedule(ben, { content: 'Good morning', cron: '0 9 * * *' })
  for (const watch of [bens, adas]) {
    const { scheduleUpdates } = await watch.until((update) => update.scheduleUpdates.schedule?.id === id)
    expect(scheduleUpdates).toMatchObject({ readList: false, schedule: { enabled: true } })
  }
  await there.as('ada').run(api.UpdateScheduleDocument, { input: { id, enabled: false } })
  await bens.until(({ scheduleUpdates }) => scheduleUpdates.schedule?.enabled === false)
  await ben.run(api.DeleteScheduleDocument, { id })
  const isGone = ({ scheduleUpdates: { readList, schedule: row } }: api.ScheduleUpdatesSubscription): boolean =>
    !readList && row === null
  await Promise.all([bens.until(isGone), adas.until(isGone)])

  // Cleo has heard of none of it, only of her own.
  const own = await schedule(here.as('cleo'), { content: 'Good evening', cron: '0 20 * * *' })
  await cleos.until(({ scheduleUpdates }) => scheduleUpdates.schedule?.id === own.id)
  expect(cleos.received.flatMap(({ scheduleUpdates }) => scheduleUpdates.schedule?.id ?? [])).not.toContain(id)
  expect(cleos.received.filter(({ scheduleUpdates: { schedule: row } }) => row === null)).toHaveLength(1)
})

test('questions and deliveries are told to admins alone', async () => {
  const ada = here.as('ada')
  await using questions = there.as('ada').watch(api.QuestionUpdatesDocument, {})
  await using deliveries = there.as('ada').watch(api.DeliveryUpdatesDocument, {})
  await begun(questions, deliveries)

  const { createQuestion } = await ada.run(api.CreateQuestionDocument, { content: 'Which port has staging?' })
  if (createQuestion.__typename !== 'CreateQuestionPayload') throw new Error(JSON.stringify(createQuestion))
  const { id } = createQuestion.question
  await questions.until(({ questionUpdates: { question } }) => question?.id === id && question.status === 'OPEN')
  await ada.run(api.ResolveQuestionDocument, { id, answer: '6432' })
  await questions.until(({ questionUpdates: { question } }) => question?.id === id && question.answer === '6432')

  // Nobody listens there: the first attempt fails, and is told.
  await ada.run(api.OpenSessionDocument, { input: { id: 'cli:posted', webhook: 'http://127.0.0.1:9/' } })
  await converse(ada, 'cli:posted', 'Hello')
  await deliveries.until(({ deliveryUpdates: { delivery } }) => (delivery?.attempts ?? 0) > 0)

  await using refused = here.as('ben').watch(api.QuestionUpdatesDocument, {})
  expect(await refused.ended).toContain('FORBIDDEN')
  await using alsoRefused = here.as('ben').watch(api.DeliveryUpdatesDocument, {})
  expect(await alsoRefused.ended).toContain('FORBIDDEN')
})

test('the server is told whole, and again when it has changed', async () => {
  await using watch = here.as('ben').watch(api.ServerUpdatesDocument, {})
  const { serverUpdates } = await watch.until(() => true)
  expect(serverUpdates).toMatchObject({ nodes: 2, runningTurns: 0, rehearsal: true })
  await send(here.as('ben'), '@ben:busy', 'wait: 60000')
  await watch.until(({ serverUpdates: { runningTurns } }) => runningTurns === 1)
  await here.as('ben').run(api.CancelTurnDocument, { sessionId: '@ben:busy' })
  await watch.until(({ serverUpdates: { runningTurns } }) => runningTurns === 0)
})

describe('a session that is not there yet', () => {
  test('can be followed by who may open it; its log comes from the first event', async () => {
    await using early = here.as('ben').watch(api.WatchSessionDocument, { sessionId: '@ben:soon' })
    await using elsewhere = there.as('ben').watchSse(api.WatchSessionDocument, { sessionId: '@ben:soon' })
    for (const { app } of [here, there]) await untilFollowed(app.url)
    await converse(there.as('ben'), '@ben:soon', 'Hello')
    for (const watch of [early, elsewhere]) {
      await turnEnd(watch)
      expect(watch.received[0]?.sessionEvents).toMatchObject({ __typename: 'SessionSnapshot', seq: 0 })
      expect(eventsOf(watch, 'MessageReceivedEvent').map(({ seq }) => seq)).toEqual([1])
    }
  })

  test('looks to others as one that they may not see', async () => {
    for (const sessionId of ['@ben:soon', '@ben:later']) {
      await using watch = watchAll(here.as('cleo'), sessionId)
      expect(await watch.ended).toContain('NOT_FOUND')
    }
  })

  test('is forgotten when the client goes', async () => {
    const watch = here.as('ben').watch(api.WatchSessionDocument, { sessionId: '@ben:never' })
    await watch.close()
    await converse(here.as('ben'), '@ben:never', 'Hello')
    expect(watch.received).toEqual([])
  })
})
