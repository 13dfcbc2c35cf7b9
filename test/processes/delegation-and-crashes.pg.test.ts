/** Processes die by `kill -9` while a child works on a delegated task: nothing is lost, nothing is done twice. */
import { expect, test } from 'vitest'
import { approvalRules, decide, untilAsked } from '../harness/approvals.ts'
import { Cluster, clientOf } from '../harness/cluster.ts'
import { send, turnEnd, watchAll } from '../harness/story.ts'
import type { ApiClient } from '../harness/api-client.ts'
import { DelegationsDocument, OpenSessionDocument } from '../generated/graphql.ts'

const call = (task: string): string =>
  `tool: delegation__delegate ${JSON.stringify({ task, expect: 'What was written.' })}`

async function delegated(client: ApiClient, sessionId: string) {
  const { delegations } = await client.run(DelegationsDocument, { filter: { sessionId } })
  return delegations.edges.map(({ node }) => node)
}

async function childOf(client: ApiClient, sessionId: string): Promise<string> {
  await using watch = watchAll(client, sessionId)
  const running = await watch.until(
    ({ sessionEvents: event }) => event.__typename === 'DelegationEvent' && event.delegation.status === 'RUNNING',
  )
  if (running.sessionEvents.__typename !== 'DelegationEvent') throw new Error('not a delegation')
  return `delegation:${running.sessionEvents.delegation.id}`
}

test('a child that waits for an approval is carried on by another process, and the turn above it', async () => {
  const rules = approvalRules('effect = "require"\ncommand = "tee"')
  await using cluster = await Cluster.begin({ config: { toml: rules } })
  const first = await cluster.start()
  const marks = cluster.path('marks')
  await send(clientOf(first, 'ada'), 'cli:waits', call(`run: echo once | tee -a ${marks}`))
  const child = await childOf(clientOf(first, 'ada'), 'cli:waits')
  await using asking = watchAll(clientOf(first, 'ada'), child)
  const [approval] = await untilAsked(asking)
  const second = await cluster.start()
  await first.kill()

  const ada = clientOf(second, 'ada')
  await decide(ada, { id: approval?.id ?? '', approve: true })
  await using watch = watchAll(ada, 'cli:waits')
  expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'DONE' })
  expect(await cluster.lines('marks')).toEqual(['once'])
  expect(await delegated(ada, 'cli:waits')).toMatchObject([{ status: 'DONE', round: 1, child: { id: child } }])
})

test('a command of the child that was under way is not run again, and the turn above hears of it', async () => {
  await using cluster = await Cluster.begin()
  const first = await cluster.start()
  const marks = cluster.path('marks')
  const before = clientOf(first, 'ada')
  await before.run(OpenSessionDocument, { input: { id: 'cli:dies', mode: 'CHAT' } })
  await send(before, 'cli:dies', call(`run: echo once >> ${marks}; echo begun; sleep 600\nWhat became of it?`))
  const child = await childOf(before, 'cli:dies')
  {
    await using below = watchAll(before, child)
    await below.until(({ sessionEvents: event }) => event.__typename === 'TaskOutputEvent')
  }
  const second = await cluster.start()
  await first.kill()

  const ada = clientOf(second, 'ada')
  await using watch = watchAll(ada, 'cli:dies')
  expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'DONE' })
  expect(await cluster.lines('marks')).toEqual(['once'])
  const [delegation] = await delegated(ada, 'cli:dies')
  expect(delegation).toMatchObject({ status: 'DONE', child: { id: child } })
  expect(delegation?.answer).toContain('its outcome is unknown')
})
