/**
 * A process dies by `kill -9` while a turn serves messages that it took along: the one that goes on with it serves all
 * of them.
 */
import { writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { Cluster, clientOf } from '../harness/cluster.ts'
import { messagesIn, openBusy } from '../harness/queue.ts'
import { answersIn, eventsOf, send, turnEnd, watchAll } from '../harness/story.ts'
import { stubProvider } from '../harness/stub-provider.ts'
import { answerWell, GOOD_PLAN } from '../model/good-answers.ts'
import { StubEndpoint, type StubCall } from '../model/stub-endpoint.ts'

const exec = (detail: string) => ({ type: 'exec', detail, skill: null, args: null, expect: 'it works' })
const TALK = { ...GOOD_PLAN, tasks: GOOD_PLAN.tasks.slice(1) }

/** The texts that the planner is to serve, in order. */
function askedFor({ user }: StubCall): string[] {
  const [, message = ''] = user.split('\n# The message to plan for\n')
  return [...message.matchAll(/<<<MESSAGE_[0-9a-f]+>>>\n(.*)\n<<<END_MESSAGE/g)].map(([, text = '']) => text)
}

/** Answers by `plan`; the first time that `holds`, there is no answer, and `held` resolves. */
function holdOnce(holds: (call: StubCall) => boolean, plan: (call: StubCall) => object) {
  const { promise: held, resolve } = Promise.withResolvers<void>()
  let isHeld = false
  const by = (call: StubCall) => {
    if (call.role !== 'planner') return answerWell(call)
    if (isHeld || !holds(call)) return { content: plan(call) }
    isHeld = true
    return () => resolve()
  }
  return { held, by }
}

test('COLLECT: the messages of one turn are read again together', async () => {
  await using stub = await StubEndpoint.start({ list: [] })
  await using cluster = await Cluster.begin({ config: { toml: stubProvider(stub) } })
  const first = await cluster.start()
  const ada = clientOf(first, 'ada')
  await openBusy(ada, 'COLLECT', { id: 'cli:collected' })
  const gate = cluster.path('gate')
  const busy = { ...GOOD_PLAN, tasks: [exec(`echo begun; until [ -e ${gate} ]; do sleep 0.02; done`)] }
  const script = holdOnce(
    (call) => askedFor(call).length > 1,
    (call) => (askedFor(call)[0] === 'Begin' ? { ...busy, tasks: [...busy.tasks, ...TALK.tasks] } : TALK),
  )
  stub.follow({ by: script.by })
  await send(ada, 'cli:collected', 'Begin')
  {
    await using watch = watchAll(ada, 'cli:collected')
    await watch.until(({ sessionEvents: event }) => event.__typename === 'TaskOutputEvent')
    for (const text of ['one', 'two', 'three']) await send(ada, 'cli:collected', text)
    await writeFile(gate, '')
    await script.held
  }
  await first.kill()

  const second = clientOf(await cluster.start(), 'ada')
  await using watch = watchAll(second, 'cli:collected')
  await turnEnd(watch, 4)
  const asked = stub.calls.filter(({ role }) => role === 'planner').map(askedFor)
  expect(asked).toEqual([['Begin'], ['one', 'two', 'three'], ['one', 'two', 'three']])
  const messages = await messagesIn(second, 'cli:collected')
  expect(messages.map(({ status, turn }) => [status, turn?.status, turn?.joined.length])).toEqual([
    ['DONE', 'DONE', 0],
    ['DONE', 'DONE', 2],
    ['DONE', 'DONE', 0],
    ['DONE', 'DONE', 0],
  ])
})

test('STEER: what the user added is planned for, and what was done is not done again', async () => {
  await using stub = await StubEndpoint.start({ list: [] })
  await using cluster = await Cluster.begin({ config: { toml: stubProvider(stub) } })
  const first = await cluster.start()
  const ada = clientOf(first, 'ada')
  await openBusy(ada, 'STEER', { id: 'cli:steered' })
  const [gate, marks] = [cluster.path('gate'), cluster.path('marks')]
  const busy = [
    `echo first >> ${marks}; echo begun; until [ -e ${gate} ]; do sleep 0.02; done`,
    `echo never >> ${marks}`,
  ]
  const script = holdOnce(
    (call) => askedFor(call).length > 1,
    (call) => ({
      ...GOOD_PLAN,
      tasks: [...(askedFor(call).length > 1 ? [`echo both >> ${marks}`] : busy).map(exec), ...TALK.tasks],
    }),
  )
  stub.follow({ by: script.by })
  await send(ada, 'cli:steered', 'Begin')
  {
    await using watch = watchAll(ada, 'cli:steered')
    await watch.until(({ sessionEvents: event }) => event.__typename === 'TaskOutputEvent')
    await send(ada, 'cli:steered', 'Also this')
    await writeFile(gate, '')
    await script.held
  }
  await first.kill()

  const second = clientOf(await cluster.start(), 'ada')
  await using watch = watchAll(second, 'cli:steered')
  await turnEnd(watch, 2)
  const asked = stub.calls.filter(({ role }) => role === 'planner').map(askedFor)
  expect(asked).toEqual([['Begin'], ['Begin', 'Also this'], ['Begin', 'Also this']])
  expect(await cluster.lines('marks')).toEqual(['first', 'both'])
  const [own, added] = await messagesIn(second, 'cli:steered')
  expect(own?.turn).toMatchObject({ status: 'DONE', joined: [{ id: added?.turn?.id }] })
  expect(own?.turn?.plans.map(({ tasks }) => tasks.map(({ status }) => status))).toEqual([
    ['DONE', 'SKIPPED', 'SKIPPED'],
    ['DONE', 'DONE'],
  ])
  expect(answersIn(watch)).toHaveLength(1)
  const ends = eventsOf(watch, 'TurnCompletedEvent').map(({ turnId, turnStatus }) => [turnId, turnStatus])
  expect(ends).toEqual([added, own].map((message) => [message?.turn?.id, 'DONE']))
})
