/**
 * A session with a webhook: what the agent says is posted, signed and in order, whatever the receiver does and
 * whichever process dies.
 */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createReceiver, Inbox, poll, type AgentText } from '../../examples/webhook-receiver/receiver.ts'
import { newWebhookSecret } from '../../src/config/access/webhook-secret.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { must } from '../../src/platform/must.ts'
import { answer, hang, inTurn, Receiver } from '../delivery/receiver.ts'
import {
  DeliveriesDocument,
  OpenSessionDocument,
  RedeliverDocument,
  SessionWebhookDocument,
  UpdateSessionDocument,
  type DeliveriesQuery,
} from '../generated/graphql.ts'
import type { ApiClient } from '../harness/api-client.ts'
import { approvalRules, untilAsked } from '../harness/approvals.ts'
import { Arrivals } from '../harness/arrivals.ts'
import { Cluster, clientOf } from '../harness/cluster.ts'
import { PATIENCE } from '../harness/patience.ts'
import { converse, send, Story, storyConfig, tokenOf, turnEnd, watchAll, type StoryConfig } from '../harness/story.ts'

const SECRET = newWebhookSecret()
const OTHER_SECRET = newWebhookSecret()
/** How often a state is polled that no event tells of. */
const LOOK_MS = 20

const WITH_WEBHOOKS: StoryConfig = {
  settings: { webhook_allow_list: ['127.0.0.1'] },
  tokens: { ada: `webhook_secret = "${SECRET}"`, bridge: `webhook_secret_env = "BRIDGE_SECRET"` },
}

let story: Story
beforeAll(async () => {
  story = await Story.begin({ config: WITH_WEBHOOKS, environment: { BRIDGE_SECRET: SECRET } })
})
afterAll(() => story[Symbol.asyncDispose]())

type Delivery = NonNullable<DeliveriesQuery['deliveries']>['edges'][number]['node']

async function openWith(client: ApiClient, id: string, webhook: string): Promise<string> {
  const { openSession } = await client.run(OpenSessionDocument, { input: { id, webhook } })
  return openSession.__typename === 'OpenSessionPayload' ? 'opened' : openSession.problem
}

async function deliveriesOf(admin: ApiClient, sessionId: string): Promise<Delivery[]> {
  const { deliveries } = await admin.run(DeliveriesDocument, { filter: { sessionId } })
  return deliveries.edges.map(({ node }) => node).toReversed()
}

/** Waits until the session has so many deliveries and none is pending. */
async function settled(admin: ApiClient, sessionId: string, count = 1): Promise<Delivery[]> {
  for (;;) {
    const all = await deliveriesOf(admin, sessionId)
    if (all.length >= count && all.every(({ status }) => status !== 'PENDING')) return all
    await systemClock.sleep(LOOK_MS)
  }
}

/** The receiver of the example, on a port of its own. */
async function startExample(secrets: readonly string[]) {
  const texts = new Arrivals<AgentText>()
  const inbox = new Inbox(async (text) => texts.add(text))
  const server = createReceiver(secrets, inbox).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const close = async (): Promise<void> => server.close().closeAllConnections()
  return { url, texts, inbox, [Symbol.asyncDispose]: close }
}

test('what the agent says reaches the receiver of the example: notices and the answer, signed, once each', async () => {
  const ada = story.as('ada')
  await using receiver = await startExample([SECRET])
  expect(await openWith(ada, 'cli:webhook', receiver.url)).toBe('opened')
  const turn = await converse(ada, 'cli:webhook', 'fail:\nrun: echo hi\nWhat does it say?')
  const deliveries = await settled(ada, 'cli:webhook', turn.answers.length)
  expect(deliveries.map(({ status, attempts }) => ({ status, attempts }))).toEqual(
    turn.answers.map(() => ({ status: 'DELIVERED', attempts: 1 })),
  )
  expect(receiver.texts.all.map(({ content }) => content)).toEqual(turn.answers)
  expect(receiver.texts.all.map(({ final }) => final)).toEqual(
    turn.answers.map((_, n) => n === turn.answers.length - 1),
  )
  expect(receiver.texts.all.map(({ taskId }) => taskId)).toEqual(deliveries.map(({ task }) => task.id))

  const { session } = await ada.run(SessionWebhookDocument, { id: 'cli:webhook' })
  expect(session?.webhook).toBe(receiver.url)
  const texts = session?.tasks.edges.filter(({ node }) => node.type === 'MSG' && node.output != null)
  expect(texts?.every(({ node }) => node.deliveries.length === 1)).toBe(true)

  // What was posted is not taken again when it is polled.
  const source = { url: `${story.app.url}/graphql`, token: tokenOf('ada'), session: 'cli:webhook' }
  await poll(source, 0, receiver.inbox)
  expect(receiver.texts.all).toHaveLength(turn.answers.length)
  const fresh = new Arrivals<AgentText>()
  await poll(source, 0, new Inbox(async (text) => fresh.add(text)))
  expect(fresh.all).toEqual(receiver.texts.all)
})

test('a connector has what is said in a group posted, signed with its own secret; approvals are not posted', async () => {
  const toml = `[approvals]\nown_user_may_decide = true\n${approvalRules('effect = "require"\ncommand = "tee"')}`
  const config = { ...WITH_WEBHOOKS, tokens: { discord: `webhook_secret = "${SECRET}"` }, toml }
  await using _approvals = await story.reconfigureForNow(storyConfig(config))
  await using receiver = await startExample([SECRET])
  const channel = story.as('discord').session('discord:1')
  await channel.open({ source: { kind: 'discord', type: 'GROUP' }, webhook: receiver.url })
  const user = 'Ben#1'
  const heard = { user, idempotencyKey: 'M1' }
  expect(await channel.send('To the others', heard)).toMatchObject({ message: { status: 'STORED' } })
  expect(await channel.send('To the others', heard)).toMatchObject({ duplicate: true })

  await channel.send('run: echo hi | tee out.txt', { user, mentioned: true })
  const [asked] = await untilAsked(watchAll(story.as('discord'), 'discord:1'))
  expect(await channel.approve(must(asked, 'it was asked for').id, { user })).toMatchObject({
    __typename: 'DecideApprovalPayload',
  })
  await settled(story.as('ada'), 'discord:1')
  expect(receiver.texts.all).toEqual([
    expect.objectContaining({ session: 'discord:1', final: true, content: expect.stringContaining('hi') }),
  ])
})

test('the receiver of the example refuses what is not signed with its secret, and takes either while one replaces the other', async () => {
  const ada = story.as('ada')
  await using stranger = await startExample([OTHER_SECRET])
  await openWith(ada, 'cli:wrong-secret', stranger.url)
  await converse(ada, 'cli:wrong-secret', 'Hello')
  const refused = await vi.waitFor(async () => {
    const [first] = await deliveriesOf(ada, 'cli:wrong-secret')
    expect(first).toMatchObject({ status: 'PENDING', lastStatusCode: 401 })
    expect(first?.attempts).toBeGreaterThanOrEqual(2)
    return first
  }, PATIENCE)
  expect(stranger.texts.all).toEqual([])

  const both = { ...WITH_WEBHOOKS.tokens, ada: `webhook_secret = ["${SECRET}", "${OTHER_SECRET}"]` }
  await using _both = await story.reconfigureForNow(storyConfig({ ...WITH_WEBHOOKS, tokens: both }))
  const [delivered] = await settled(ada, 'cli:wrong-secret')
  expect(delivered).toMatchObject({ id: refused?.id, status: 'DELIVERED' })
  expect(delivered?.attempts).toBeGreaterThan(refused?.attempts ?? 0)
  expect(stranger.texts.all).toHaveLength(1)
})

test('a webhook that must not be is refused when it is set, and told why', async () => {
  const ada = story.as('ada')
  expect(await openWith(ada, 'cli:a', 'http://169.254.169.254/latest')).toMatch(
    /webhook.*must not lead to 169.254.169.254/,
  )
  expect(await openWith(ada, 'cli:a', 'http://localhost:5432/')).toMatch(/must have port 80, 443, 8080 or 8443/)
  expect(await openWith(ada, 'cli:a', 'gopher://example.org/')).toMatch(/begins with "https:\/\/"/)
  const { session } = await ada.run(SessionWebhookDocument, { id: 'cli:a' })
  expect(session).toBeNull()
  expect(await openWith(story.as('ben'), 'cli:b', 'http://127.0.0.1:1/')).toMatch(
    /token "ben", which has no secret to sign posts with; an admin can set webhook_secret in \[tokens.ben\]/,
  )
  expect(await openWith(story.as('bridge'), 'cli:c', 'http://127.0.0.1:1/')).toBe('opened')
  const { updateSession } = await ada.run(UpdateSessionDocument, {
    input: { id: 'cli:c', webhook: 'http://10.0.0.1/' },
  })
  expect(updateSession).toMatchObject({ __typename: 'InvalidInputRefusal', issues: [{ path: ['webhook'] }] })
})

test('a webhook can be replaced and taken away; nothing is posted without one', async () => {
  const ada = story.as('ada')
  await using one = await Receiver.start()
  await using two = await Receiver.start()
  await openWith(ada, 'cli:moves', one.url())
  await openWith(ada, 'cli:moves', two.url())
  await converse(ada, 'cli:moves', 'First')
  await two.received.until((all) => all.length === 1)
  await ada.run(UpdateSessionDocument, { input: { id: 'cli:moves', webhook: null } })
  await converse(ada, 'cli:moves', 'Second')
  expect(await deliveriesOf(ada, 'cli:moves')).toHaveLength(1)
  expect(one.received.all).toEqual([])
})

test('a receiver that hangs or is gone delays neither the turn nor the next message, and admins can have it posted again', async () => {
  const ada = story.as('ada')
  await using hanging = await Receiver.start(hang)
  await openWith(ada, 'cli:hangs', hanging.url())
  for (const text of ['First', 'Second'])
    expect(await converse(ada, 'cli:hangs', text)).toMatchObject({ status: 'DONE' })
  expect(hanging.received.all.length).toBeLessThanOrEqual(1)

  await using gone = await Receiver.start(inTurn(answer(410), answer(204)))
  await openWith(ada, 'cli:gone', gone.url())
  await converse(ada, 'cli:gone', 'Hello')
  const [dead] = await settled(ada, 'cli:gone')
  expect(dead).toMatchObject({
    status: 'DEAD',
    attempts: 1,
    lastStatusCode: 410,
    lastError: expect.stringContaining('410'),
  })
  await ada.run(RedeliverDocument, { id: dead?.id ?? '' })
  expect((await settled(ada, 'cli:gone'))[0]).toMatchObject({ id: dead?.id, status: 'DELIVERED', attempts: 1 })
  const ids = gone.received.all.map(({ headers }) => headers['webhook-id'])
  expect(ids).toEqual([dead?.id, dead?.id])
})

test('a process that is killed in the middle of a post: another posts it again under the same id', async () => {
  await using cluster = await Cluster.begin({ config: WITH_WEBHOOKS })
  await using receiver = await Receiver.start(inTurn(hang, answer(204)))
  const first = await cluster.start()
  const ada = clientOf(first, 'ada')
  await openWith(ada, 'cli:killed', receiver.url())
  await send(ada, 'cli:killed', 'Hello')
  await using watch = watchAll(ada, 'cli:killed')
  await turnEnd(watch)
  await receiver.received.until((all) => all.length === 1)
  await first.kill()
  // As if the time had passed for which the attempt belonged to the process that is no more.
  await cluster.query("UPDATE deliveries SET next_attempt_at = now() WHERE status = 'PENDING'")

  const second = clientOf(await cluster.start(), 'ada')
  const [delivery] = await settled(second, 'cli:killed')
  expect(delivery).toMatchObject({ status: 'DELIVERED', attempts: 2 })
  const posts = receiver.received.all
  expect(posts.map(({ headers }) => headers['webhook-id'])).toEqual([delivery?.id, delivery?.id])
  expect(new Set(posts.map(({ raw }) => raw)).size).toBe(1)
  expect(must(posts[0], 'a post').body).toMatchObject({ session: 'cli:killed', type: 'msg', final: true })
})
