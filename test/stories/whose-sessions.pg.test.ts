/** What is whose: a session's opener, those who take part in it, and connectors that reach it but did not open it. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { newWebhookSecret } from '../../src/config/access/webhook-secret.ts'
import { answer, Receiver } from '../delivery/receiver.ts'
import * as api from '../generated/graphql.ts'
import { ApiClient } from '../harness/api-client.ts'
import { PATIENCE } from '../harness/patience.ts'
import { converse, send, Story, turnEnd, watchAll, type Person } from '../harness/story.ts'

const BENS_PHONE = 'bens-phone-token-for-the-story'
const PLAIN = 'plain-connector-token-for-the-story'
const TOML = `
[tokens.bens-phone]
kind = "user"
user = "ben"
token = "${BENS_PHONE}"
[tokens.plain]
kind = "connector"
token = "${PLAIN}"
`
const signs = (): string => `webhook_secret = "${newWebhookSecret()}"`

let story: Story
let log = ''
/** Where those who are not the opener want the agent's texts to go. */
let thief: Receiver

beforeAll(async () => {
  thief = await Receiver.start(answer(204))
  story = await Story.begin({
    config: {
      settings: { webhook_allow_list: ['127.0.0.1'] },
      tokens: { ben: signs(), cleo: signs(), bridge: signs() },
      toml: TOML,
    },
    log: (line) => void (log += line),
  })
})
afterAll(async () => {
  await story[Symbol.asyncDispose]()
  await thief[Symbol.asyncDispose]()
})

/** All that is the opener's, each tried alone: the types of the answers. */
async function tryAll(client: ApiClient, id: string): Promise<Record<string, string>> {
  const tried: Record<string, string> = {}
  for (const [what, change] of Object.entries(CHANGES)) {
    const { updateSession } = await client.run(api.UpdateSessionDocument, { input: { id, ...change() } })
    tried[what] = updateSession.__typename
    const opened = await client.run(api.OpenSessionDocument, { input: { id, ...change() } })
    tried[`${what}, opened again`] = opened.openSession.__typename
  }
  const hidden = await client.run(api.UpdateSessionDocument, { input: { id, inactive: true } })
  tried['hidden'] = hidden.updateSession.__typename
  const { deleteSession } = await client.run(api.DeleteSessionDocument, { id })
  return { ...tried, deleted: deleteSession.__typename }
}

const CHANGES: Readonly<Record<string, () => Omit<api.OpenSessionInput, 'id'>>> = {
  description: () => ({ description: 'Mine' }),
  webhook: () => ({ webhook: thief.url() }),
  metadata: () => ({ metadata: { chatId: 'mine' } }),
  'busy policy': () => ({ busyPolicy: 'INTERRUPT' }),
}

const NOTHING_CHANGED = { description: null, metadata: {}, status: 'IDLE' }

describe('a user who was invited into a session', () => {
  test('reads, posts, invites and leaves; what is the opener’s stays as it is, and nothing is posted to them', async () => {
    const [ben, cleo] = [story.as('ben'), story.as('cleo')]
    await converse(ben, '@ben:invited', 'A secret of mine')
    await ben.run(api.AddParticipantDocument, { sessionId: '@ben:invited', user: 'cleo' })
    const tried = await tryAll(cleo, '@ben:invited')
    expect([...new Set(Object.values(tried))]).toEqual(['ConflictRefusal'])
    const { updateSession } = await cleo.run(api.UpdateSessionDocument, {
      input: { id: '@ben:invited', description: 'Mine' },
    })
    expect(updateSession).toMatchObject({
      problem: expect.stringMatching(/^Only who opened session "@ben:invited", or an admin, may change its/),
    })

    await converse(cleo, '@ben:invited', 'Thank you')
    const { session } = await ben.run(api.SessionDocument, { id: '@ben:invited' })
    expect(session).toMatchObject({ ...NOTHING_CHANGED, messageCount: 2 })
    expect(thief.received.all).toEqual([])
    const taken = await cleo.run(api.OpenSessionDocument, { input: { id: '@ben:invited' } })
    expect(taken.openSession).toMatchObject({ created: false })
    const left = await cleo.run(api.RemoveParticipantDocument, { sessionId: '@ben:invited', user: 'cleo' })
    expect(left.removeParticipant.__typename).toBe('RemoveParticipantPayload')
  })

  test('is posted nothing any more once the session is not theirs to read', async () => {
    const [ada, ben] = [story.as('ada'), story.as('ben')]
    await using receiver = await Receiver.start(answer(204))
    const input = { id: '@ben:posted', webhook: receiver.url(), participants: ['cleo'] }
    expect((await ben.run(api.OpenSessionDocument, { input })).openSession.__typename).toBe('OpenSessionPayload')
    await converse(story.as('cleo'), '@ben:posted', 'Hello')
    await vi.waitFor(() => expect(receiver.received.all).toHaveLength(1), PATIENCE)
    await ada.run(api.RemoveParticipantDocument, { sessionId: '@ben:posted', user: 'ben' })
    await converse(story.as('cleo'), '@ben:posted', 'Between us')
    const attempted = async () => {
      const { deliveries } = await ada.run(api.DeliveriesDocument, { filter: { sessionId: '@ben:posted' } })
      const [second, first] = deliveries.edges.map(({ node }) => node)
      expect(first?.status).toBe('DELIVERED')
      expect(second?.lastError !== null || second.status === 'DELIVERED').toBe(true)
      return second
    }
    const lastError = expect.stringContaining('may not see the session any more') as string
    expect(await vi.waitFor(attempted, PATIENCE)).toMatchObject({ lastError })
    expect(receiver.received.all).toHaveLength(1)
  })

  test('is told by events what they may do themselves, not what another who follows with them may', async () => {
    const id = '@ben:buttons'
    await story.as('ben').run(api.OpenSessionDocument, { input: { id, participants: ['cleo'] } })
    await using bens = story.as('ben').watch(api.FollowRightsDocument, { sessionId: id, after: 0 })
    await using cleos = story.as('cleo').watch(api.FollowRightsDocument, { sessionId: id, after: 0 })
    await using adas = story.as('ada').watch(api.FollowRightsDocument, { sessionId: id, after: 0 })
    await converse(story.as('cleo'), id, 'Hello')
    for (const [watch, update] of [
      [bens, true],
      [cleos, false],
      [adas, true],
    ] as const) {
      await watch.until(({ sessionEvents }) => sessionEvents.seq > 3)
      const rights = watch.received.map(({ sessionEvents }) => sessionEvents.session.viewerCan)
      expect([...new Set(rights.map((can) => JSON.stringify(can)))]).toEqual([JSON.stringify({ update, send: true })])
    }
  })

  test('does not take the id over either, when its session is deleted', async () => {
    const [ben, cleo] = [story.as('ben'), story.as('cleo')]
    await ben.run(api.OpenSessionDocument, { input: { id: '@ben:brief', participants: ['cleo'] } })
    await ben.run(api.DeleteSessionDocument, { id: '@ben:brief' })
    const { sendMessage } = await cleo.run(api.SendMessageDocument, {
      input: { sessionId: '@ben:brief', content: 'Mine' },
    })
    expect(sendMessage).toMatchObject({ __typename: 'NotFoundRefusal' })
  })
})

describe('the opener', () => {
  test.each(['ben', 'ada'] as const)(
    'as %s, changes and deletes the session, with any token of theirs',
    async (who) => {
      const id = `@ben:for-${who}`
      await converse(story.as('ben'), id, 'Hello')
      const client = who === 'ben' ? new ApiClient(story.app.url, BENS_PHONE) : story.as('ada')
      const tried = await tryAll(client, id)
      // These tokens have no secret to sign posts with.
      const expected = Object.keys(tried).filter((what) => !what.startsWith('webhook'))
      expect(expected.filter((what) => !tried[what]?.endsWith('Payload'))).toEqual([])
      expect((await story.as('ada').run(api.SessionDocument, { id })).session).toBeNull()
    },
  )
})

describe('a connector without a namespace', () => {
  test('has its own name for one, and nothing else is there for it', async () => {
    const plain = new ApiClient(story.app.url, PLAIN)
    await converse(story.as('ben'), '@ben:private', 'A secret of mine')
    expect((await plain.run(api.ViewerDocument)).viewer).toMatchObject({ namespace: 'plain', ownNamespace: 'plain' })
    const posted = { sessionId: 'plain:own', content: 'Hello', user: 'someone' }
    expect((await plain.run(api.SendMessageDocument, { input: posted })).sendMessage.__typename).toBe(
      'SendMessagePayload',
    )
    const { sessions } = await plain.run(api.SessionsDocument, { first: 100 })
    expect(sessions.edges.map(({ node }) => node.id)).toEqual(['plain:own'])
    expect((await plain.run(api.SessionDocument, { id: '@ben:private' })).session).toBeNull()
    const tried = await tryAll(plain, '@ben:private')
    expect([...new Set(Object.values(tried))]).toEqual(['InvalidInputRefusal'])
    const input = { sessionId: '@ben:private', content: 'I said', role: 'ASSISTANT' } as const
    expect((await plain.run(api.AppendMessageDocument, { input })).appendMessage.__typename).toBe('InvalidInputRefusal')
  })
})

describe('a connector of every namespace', () => {
  test('is named in the log at start', () => {
    const warnings = log
      .split('\n')
      .filter((line) => line.includes('"level":40') || line.includes('warn'))
      .filter((line) => line.includes('.namespace'))
    expect(warnings).toEqual([
      expect.stringMatching(/tokens\.bridge\.namespace: \\"\*\\" lets this token read every session and post in it/),
    ])
  })

  test('reads and posts everywhere; what is the opener’s, and what the agent says, is not its to make', async () => {
    const [ben, bridge] = [story.as('ben'), story.as('bridge')]
    await converse(ben, '@ben:bridged', 'A secret of mine')
    expect((await bridge.run(api.SessionDocument, { id: '@ben:bridged' })).session).not.toBeNull()
    const tried = await tryAll(bridge, '@ben:bridged')
    expect([...new Set(Object.values(tried))]).toEqual(['ConflictRefusal'])
    for (const role of ['ASSISTANT', 'SYSTEM'] as const) {
      const input = { sessionId: '@ben:bridged', content: 'I said', role }
      expect((await bridge.run(api.AppendMessageDocument, { input })).appendMessage).toMatchObject({
        __typename: 'ConflictRefusal',
        problem: expect.stringContaining('Only who opened session "@ben:bridged", or an admin, may say what'),
      })
    }
    const added = await bridge.run(api.AddParticipantDocument, { sessionId: '@ben:bridged', user: 'cleo' })
    expect(added.addParticipant.__typename).toBe('ConflictRefusal')
    await converse(ben, '@ben:bridged', 'And another one')
    expect((await ben.run(api.SessionDocument, { id: '@ben:bridged' })).session).toMatchObject({
      ...NOTHING_CHANGED,
      messageCount: 2,
      participants: [{ name: 'ben' }],
    })
    expect(thief.received.all).toEqual([])
  })

  test('has all of it in what it opened', async () => {
    const bridge = story.as('bridge')
    const input = { sessionId: 'bridge:own', content: 'Hello', user: 'someone' }
    expect((await bridge.run(api.SendMessageDocument, { input })).sendMessage.__typename).toBe('SendMessagePayload')
    const said = { sessionId: 'bridge:own', content: 'I said', role: 'ASSISTANT' } as const
    expect((await bridge.run(api.AppendMessageDocument, { input: said })).appendMessage.__typename).toBe(
      'AppendMessagePayload',
    )
    const tried = await tryAll(bridge, 'bridge:own')
    expect(Object.entries(tried).filter(([, type]) => !type.endsWith('Payload'))).toEqual([])
  })
})

test('a session id is answered alike whether it is taken or not, and the own name space is told', async () => {
  const taken = ['@ben:diary', 'discord:general', 'cli:plans']
  await send(story.as('ben'), '@ben:diary', 'Dear diary')
  await send(story.as('ada'), 'cli:plans', 'To do')
  const general = { sessionId: 'discord:general', content: 'Hello', user: 'Ben#1' }
  await story.as('discord').run(api.SendMessageDocument, { input: general })
  for (const id of taken) {
    const ask = async (sessionId: string): Promise<string> => {
      const reply = await story
        .as('cleo')
        .request(api.SendMessageDocument, { input: { sessionId, content: 'Is anybody there?' } })
      return JSON.stringify(reply).replaceAll(sessionId, id)
    }
    const answered = await ask(id)
    expect(answered).toContain(`There is no session \\"${id}\\" that you may see. Sessions that you open have ids`)
    expect(answered).toContain('begin with \\"@cleo:\\"')
    expect(await ask(`${id}-not`)).toBe(answered)
  }
})

test('everybody may call a session of theirs the same', async () => {
  const people: readonly Person[] = ['ada', 'ben', 'cleo']
  for (const person of people) await converse(story.as(person), `@${person}:demo`, `I am ${person}.`)
  const { sessions } = await story.as('ada').run(api.SessionsDocument, { first: 100 })
  const ids = sessions.edges.map(({ node }) => node.id)
  expect(ids).toEqual(expect.arrayContaining(people.map((person) => `@${person}:demo`)))
})

test('what a schedule opens is its user’s', async () => {
  const ben = story.as('ben')
  const input = { name: 'Later', content: 'Hello', cron: '0 0 1 1 *' }
  const { createSchedule } = await ben.run(api.CreateScheduleDocument, { input })
  if (createSchedule.__typename !== 'CreateSchedulePayload') throw new Error(JSON.stringify(createSchedule))
  const { id } = createSchedule.schedule
  await ben.run(api.TriggerScheduleDocument, { id })
  await using watch = watchAll(ben, `schedule:${id}`)
  await turnEnd(watch)
  const described = { id: `schedule:${id}`, description: 'Each year' }
  expect((await ben.run(api.UpdateSessionDocument, { input: described })).updateSession.__typename).toBe(
    'UpdateSessionPayload',
  )
  await ben.run(api.DeleteSessionDocument, { id: `schedule:${id}` })
  const again = { sessionId: `schedule:${id}`, content: 'Mine' }
  expect((await ben.run(api.SendMessageDocument, { input: again })).sendMessage.__typename).toBe('NotFoundRefusal')
})
