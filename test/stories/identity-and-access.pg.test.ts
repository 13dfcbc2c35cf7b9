/** Who a caller is, and what they may see: tokens, users, aliases, connectors, participants. */
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ApiClient } from '../harness/api-client.ts'
import { converse, eventsOf, send, Story, tokenOf, turnEnd, watchAll, watchSessions } from '../harness/story.ts'
import {
  AddParticipantDocument,
  AppendMessageDocument,
  CancelTurnDocument,
  DeleteSessionDocument,
  EditQueuedMessageDocument,
  MessageDocument,
  MessageOutputsDocument,
  NodeDocument,
  OpenSessionDocument,
  PipelineStepsDocument,
  RemoveParticipantDocument,
  SendMessageDocument,
  ServerDocument,
  SessionDocument,
  SessionEventsDocument,
  SessionPageDocument,
  SessionsDocument,
  TaskDocument,
  TasksDocument,
  TurnDocument,
  UpdateSessionDocument,
  ViewerDocument,
  WatchSessionDocument,
  WithdrawMessageDocument,
  type SendMessageMutation,
  type TypedDocumentString,
} from '../generated/graphql.ts'

const HASHED_TOKEN = 'cleo-has-another-token-of-which-the-file-holds-the-hash'
const HASHED = `
[tokens.cleos-phone]
kind = "user"
user = "cleo"
sha256 = "${createHash('sha256').update(HASHED_TOKEN).digest('hex')}"
`

const log: string[] = []
let story: Story
beforeAll(async () => {
  story = await Story.begin({ config: { toml: HASHED }, log: (line) => void log.push(line) })
})
afterAll(() => story[Symbol.asyncDispose]())

describe('without a known token', () => {
  test.each([
    ['no token', null, '4401'],
    ['a token that nobody has', 'nobody-has-this-token', '4401'],
    ['the hash of a token instead of the token', createHash('sha256').update(HASHED_TOKEN).digest('hex'), '4401'],
  ])('%s: nothing is answered, nothing is stored', async (_, token, closeCode) => {
    const nobody = new ApiClient(story.app.url, token)
    const sessionId = `web:nobody-${closeCode}`
    const reply = await nobody.request(SendMessageDocument, { input: { sessionId, content: 'run: touch broken-in' } })
    expect(reply).toMatchObject({ status: 401, data: null, errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] })

    const overWebSocket = nobody.watch(WatchSessionDocument, { sessionId })
    expect(await overWebSocket.ended).toMatch(new RegExp(`^${closeCode} UNAUTHENTICATED`))
    expect(overWebSocket.received).toEqual([])
    const overSse = nobody.watchSse(WatchSessionDocument, { sessionId })
    await overSse.ended
    expect(overSse.received).toEqual([])

    const { session } = await story.as('ada').run(SessionDocument, { id: sessionId })
    expect(session).toBeNull()
    expect((await story.as('ada').run(ServerDocument)).server).toMatchObject({ queuedTurns: 0, runningTurns: 0 })
  })
})

describe('a known token', () => {
  test('tells its holder who they are to the server', async () => {
    const viewerOf = async (client: ApiClient): Promise<unknown> => (await client.run(ViewerDocument)).viewer
    expect(await viewerOf(story.as('ada'))).toEqual({
      tokenName: 'ada',
      tokenKind: 'USER',
      namespace: null,
      ownNamespace: '@ada',
      role: 'ADMIN',
      user: { name: 'ada', role: 'ADMIN' },
      allowedSkills: [],
    })
    expect(await viewerOf(story.as('ben'))).toMatchObject({
      ownNamespace: '@ben',
      role: 'USER',
      user: { name: 'ben', role: 'USER' },
    })
    expect(await viewerOf(story.as('bridge'))).toEqual({
      tokenName: 'bridge',
      tokenKind: 'CONNECTOR',
      namespace: null,
      ownNamespace: 'bridge',
      role: 'USER',
      user: null,
      allowedSkills: [],
    })
    expect(await viewerOf(story.as('discord'))).toMatchObject({
      tokenKind: 'CONNECTOR',
      namespace: 'discord',
      ownNamespace: 'discord',
    })
  })

  test('works when the configuration holds only its hash', async () => {
    const { viewer } = await new ApiClient(story.app.url, HASHED_TOKEN).run(ViewerDocument)
    expect(viewer).toMatchObject({ tokenName: 'cleos-phone', user: { name: 'cleo' } })
  })

  test('of a user speaks for that user and nobody else', async () => {
    const ben = story.as('ben')
    const { message } = await speakFor('ben', ben, { sessionId: '@ben:own-name', content: 'Hello' })
    expect(message).toMatchObject({ user: 'ben', trusted: true })
    const { sendMessage } = await ben.run(SendMessageDocument, {
      input: { sessionId: 'web:other-name', content: 'Hello', user: 'ada' },
    })
    expect(sendMessage).toMatchObject({ __typename: 'InvalidInputRefusal', issues: [{ path: ['user'] }] })
    expect((await story.as('ada').run(SessionDocument, { id: 'web:other-name' })).session).toBeNull()
  })
})

test('what is done is logged with the name of the token; the token itself is in no log', async () => {
  const from = log.length
  await story.as('ben').run(ViewerDocument)
  await new ApiClient(story.app.url, HASHED_TOKEN).run(ServerDocument)
  await new ApiClient(story.app.url, 'an-unknown-token').request(ViewerDocument)
  const linesSince = () => log.slice(from).map((line) => JSON.parse(line) as Record<string, unknown>)
  const callBy = (name: string): unknown =>
    linesSince().find(({ msg, tokenName }) => msg === 'operation' && tokenName === name)
  await expect
    .poll(() => ['ben', 'cleos-phone'].map(callBy))
    .toMatchObject([
      { operation: 'Viewer', requestId: expect.any(String) },
      { operation: 'Server', requestId: expect.any(String) },
    ])
  const logged = log.join('')
  expect(logged).toContain('tokens.ben.token: the token itself is in the file')
  for (const secret of [tokenOf('ben'), HASHED_TOKEN, 'an-unknown-token']) expect(logged).not.toContain(secret)
})

describe('a connector', () => {
  test('speaks for a user whom it knows by alias: their message starts a turn, and they see the session', async () => {
    const { message } = await speakFor('ben-on-the-bridge', story.as('bridge'), {
      sessionId: 'bridge:ben',
      content: 'What is new?',
    })
    expect(message).toMatchObject({ user: 'ben', trusted: true })
    await using watch = watchAll(story.as('ben'), 'bridge:ben')
    expect((await turnEnd(watch)).turnStatus).toBe('DONE')
    const { session } = await story.as('ben').run(SessionDocument, { id: 'bridge:ben' })
    expect(session).toMatchObject({ connector: 'bridge', participants: [{ name: 'ben' }] })
  })

  test.each([
    ['who calls himself like an admin', 'discord', 'ada'],
    ['who calls himself like a user', 'discord', 'ben'],
    ['whose name differs from an alias by a capital', 'discord', 'ben#1'],
    ['whose name is an alias on another platform', 'bridge', 'Ben#1'],
  ] as const)('keeps a stranger %s a stranger: stored, not trusted, no turn', async (_, platform, name) => {
    const connector = story.as(platform)
    const sessionId = `${platform}:stranger-${name}`.replace('#', '-')
    const { message } = await speakFor(name, connector, { sessionId, content: 'run: touch broken-in' })
    expect(message).toMatchObject({ user: name, trusted: false, status: 'STORED', queuePosition: null })
    const { session } = await story.as('ada').run(SessionPageDocument, { id: sessionId })
    expect(session).toMatchObject({ status: 'IDLE', queueLength: 0, messageCount: 1, activeTurn: null })
    expect(session?.messages.edges.map(({ node }) => node.turn)).toEqual([null])
    expect((await story.as('ada').run(SessionDocument, { id: sessionId })).session?.participants).toEqual([])
    expect((await story.as('ben').run(SessionDocument, { id: sessionId })).session).toBeNull()
  })

  test('must say whom a message is from', async () => {
    const { sendMessage } = await story
      .as('bridge')
      .run(SendMessageDocument, { input: { sessionId: 'bridge:anonymous', content: 'Hello' } })
    expect(sendMessage).toMatchObject({ __typename: 'InvalidInputRefusal', issues: [{ path: ['user'] }] })
  })

  test('with a namespace is confined to the sessions in it, by every field', async () => {
    const turn = await converse(story.as('ada'), 'cli:private', 'run: echo private')
    await speakFor('Ben#1', story.as('discord'), { sessionId: 'discord:open', content: 'Hello' })
    await using watch = watchAll(story.as('discord'), 'discord:open')
    await turnEnd(watch)

    const discord = story.as('discord')
    const answers = await askEverything(discord, idsOf(turn))
    expect([...answers].filter(([field, answer]) => !LISTS.has(field) && !isRefusal(answer))).toEqual([])
    const { sessions } = await discord.run(SessionsDocument, { first: 100, filter: { includeInactive: true } })
    expect(sessions.edges.map(({ node }) => node.id).every((id) => id.startsWith('discord:'))).toBe(true)
    expect(sessions.edges.map(({ node }) => node.id)).toContain('discord:open')
    const { tasks } = await discord.run(TasksDocument, { first: 100 })
    expect(new Set(tasks.edges.map(({ node }) => node.session.id))).toEqual(new Set(['discord:open']))

    for (const sessionId of ['cli:private', 'cli:fresh', 'discord', 'discordia:x']) {
      const { openSession } = await discord.run(OpenSessionDocument, { input: { id: sessionId } })
      expect(openSession).toMatchObject({ __typename: 'InvalidInputRefusal', issues: [{ path: ['id'] }] })
      const input = { sessionId, content: 'Hello', user: 'Ben#1' }
      const { sendMessage } = await discord.run(SendMessageDocument, { input })
      expect(sendMessage).toMatchObject({ __typename: 'InvalidInputRefusal', issues: [{ path: ['sessionId'] }] })
    }
    expect((await story.as('ada').run(SessionDocument, { id: 'cli:fresh' })).session).toBeNull()
  })
})

describe("another user's session", () => {
  test('looks to everybody else exactly like a session that does not exist', async () => {
    const bens = await converse(story.as('ben'), '@ben:bens', 'A secret of mine')
    const gone = await converse(story.as('ben'), '@ben:gone', 'A secret of mine')
    await story.as('ben').run(DeleteSessionDocument, { id: '@ben:gone' })

    const cleo = story.as('cleo')
    const toHidden = await askEverything(cleo, idsOf(bens))
    const toAbsent = await askEverything(cleo, idsOf(gone))
    expect(renameIds(Object.fromEntries(toHidden), idsOf(bens), idsOf(gone))).toEqual(Object.fromEntries(toAbsent))
    expect(JSON.stringify([...toHidden])).not.toContain('secret')
    // The owner, with the same questions, is answered.
    const toOwner = await askEverything(story.as('ben'), idsOf(bens))
    const shown = ['session', 'message', 'turn', 'task'].map((field) => JSON.stringify(toOwner.get(field)))
    expect(shown).toEqual(shown.map(() => expect.stringContaining('A secret of mine')))
  })

  test('can neither be written to nor opened', async () => {
    await converse(story.as('ben'), '@ben:bens-diary', 'Dear diary')
    const cleo = story.as('cleo')
    const input = { sessionId: '@ben:bens-diary', content: 'run: touch broken-in' }
    const { sendMessage } = await cleo.run(SendMessageDocument, { input })
    expect(sendMessage).toMatchObject({ __typename: 'NotFoundRefusal', missingId: '@ben:bens-diary' })
    const { openSession } = await cleo.run(OpenSessionDocument, {
      input: { id: '@ben:bens-diary', description: 'Mine now', participants: ['cleo'] },
    })
    expect(openSession).toMatchObject({ __typename: 'NotFoundRefusal', missingId: '@ben:bens-diary' })
    const { session } = await story.as('ben').run(SessionDocument, { id: '@ben:bens-diary' })
    expect(session).toMatchObject({ description: null, messageCount: 1, participants: [{ name: 'ben' }] })
  })

  test('is open to an admin, who becomes a participant by posting', async () => {
    await converse(story.as('ben'), '@ben:help', 'I need help')
    const ada = story.as('ada')
    expect((await ada.run(SessionDocument, { id: '@ben:help' })).session?.participants).toMatchObject([{ name: 'ben' }])
    await send(ada, '@ben:help', 'I am here')
    const { session } = await story.as('ben').run(SessionDocument, { id: '@ben:help' })
    expect(session?.participants.map(({ name }) => name).sort()).toEqual(['ada', 'ben'])
  })
})

test('a participant who is added sees the session at once; one who is removed loses sight of it at once', async () => {
  const ben = story.as('ben')
  const cleo = story.as('cleo')
  await converse(ben, '@ben:shared', 'Something to share')
  await using updates = await watchSessions(cleo)
  const { addParticipant } = await ben.run(AddParticipantDocument, { sessionId: '@ben:shared', user: 'cleo' })
  expect(addParticipant).toMatchObject({ session: { participants: [{ name: 'ben' }, { name: 'cleo' }] } })

  await updates.until(({ sessionUpdates: { session } }) => session?.id === '@ben:shared')
  const { sessions } = await cleo.run(SessionsDocument, {})
  expect(sessions.edges.map(({ node }) => node.id)).toContain('@ben:shared')
  await using watch = watchAll(cleo, '@ben:shared')
  await turnEnd(watch)
  expect(eventsOf(watch, 'MessageReceivedEvent')[0]?.message.content).toBe('Something to share')
  await using steps = cleo.watchSse(PipelineStepsDocument, { sessionId: '@ben:shared', after: 0 })
  await steps.until(({ pipelineSteps }) => pipelineSteps.step === 'COMPLETE')
  await send(cleo, '@ben:shared', 'Thank you')
  await turnEnd(watch, 2)

  await ben.run(RemoveParticipantDocument, { sessionId: '@ben:shared', user: 'cleo' })
  await story.as('ada').run(RemoveParticipantDocument, { sessionId: '@ben:shared', user: 'cleo' })
  expect(await watch.ended).toContain('NOT_FOUND')
  expect(await steps.ended).toContain('NOT_FOUND')
  expect((await cleo.run(SessionDocument, { id: '@ben:shared' })).session).toBeNull()
  const input = { sessionId: '@ben:shared', content: 'Am I still here?' }
  expect((await cleo.run(SendMessageDocument, { input })).sendMessage.__typename).toBe('NotFoundRefusal')
  expect((await ben.run(SessionDocument, { id: '@ben:shared' })).session).toMatchObject({ messageCount: 2 })
})

type Accepted = Extract<SendMessageMutation['sendMessage'], { __typename: 'SendMessagePayload' }>

/** Sends a message that must be accepted, in a person's name. */
async function speakFor(
  user: string,
  client: ApiClient,
  input: { readonly sessionId: string; readonly content: string },
): Promise<Accepted> {
  const { sendMessage } = await client.run(SendMessageDocument, { input: { ...input, user } })
  if (sendMessage.__typename !== 'SendMessagePayload') throw new Error(`not accepted: ${JSON.stringify(sendMessage)}`)
  return sendMessage
}

interface Ids {
  readonly session: string
  readonly message: string
  readonly turn: string
  readonly plan: string
  readonly task: string
}

function idsOf(turn: Awaited<ReturnType<typeof converse>>): Ids {
  const { id, session, message, plans, tasks } = turn
  return { session: session.id, message: message.id, turn: id, plan: plans[0]?.id ?? '', task: tasks[0]?.id ?? '' }
}

/** Answers that are lists of what one may see. */
const LISTS = new Set(['sessions', 'tasks'])

function isRefusal(answer: unknown): boolean {
  return answer === null || /NOT_FOUND|must start with \\"discord:\\"/.test(JSON.stringify(answer))
}

/** Every field and mutation that takes an id of a session or of something in it, asked with these. */
async function askEverything(client: ApiClient, ids: Ids): Promise<Map<string, unknown>> {
  const sessionId = ids.session
  const answers = new Map<string, unknown>()
  const ask = async (field: string, request: Promise<{ data: unknown; errors: unknown }>): Promise<void> => {
    const { data, errors } = await request
    const [value] = Object.values(data ?? {})
    answers.set(field, data === null ? errors : value)
  }
  await ask('session', client.request(SessionPageDocument, { id: sessionId }))
  await ask('session events', client.request(SessionEventsDocument, { id: sessionId, after: '0' }))
  await ask('message', client.request(MessageDocument, { id: ids.message }))
  await ask('turn', client.request(TurnDocument, { id: ids.turn }))
  await ask('task', client.request(TaskDocument, { id: ids.task }))
  for (const [kind, id] of Object.entries(ids)) await ask(`node ${kind}`, client.request(NodeDocument, { id }))
  await ask('sessions', client.request(SessionsDocument, { filter: { participant: 'ben', search: sessionId } }))
  await ask('tasks', client.request(TasksDocument, { filter: { sessionId } }))
  // The answers to mutations are refusals, except for the owner's: theirs change nothing that matters here.
  await ask('updateSession', client.request(UpdateSessionDocument, { input: { id: sessionId, metadata: {} } }))
  await ask('addParticipant', client.request(AddParticipantDocument, { sessionId, user: 'ben' }))
  await ask('appendMessage', client.request(AppendMessageDocument, { input: appended(client, sessionId) }))
  await ask('editQueuedMessage', client.request(EditQueuedMessageDocument, { id: ids.message, content: 'Hm' }))
  await ask('withdrawMessage', client.request(WithdrawMessageDocument, { id: ids.message }))
  await ask('cancelTurn', client.request(CancelTurnDocument, { sessionId }))
  for (const [name, document] of SUBSCRIPTIONS) {
    await using overWebSocket = client.watch(document, { sessionId, after: 0 })
    answers.set(name, await firstOf(overWebSocket))
    await using overSse = client.watchSse(document, { sessionId, after: 0 })
    answers.set(`${name} over SSE`, await firstOf(overSse))
  }
  return answers
}

const SUBSCRIPTIONS: readonly [string, TypedDocumentString<unknown, { sessionId: string; after?: number | null }>][] = [
  ['sessionEvents', WatchSessionDocument],
  ['pipelineSteps', PipelineStepsDocument],
  ['messageOutputs', MessageOutputsDocument],
]

function appended(client: ApiClient, sessionId: string): { sessionId: string; content: string; user?: string } {
  const user = client.token === story.as('discord').token ? { user: 'Ben#1' } : {}
  return { sessionId, content: 'Noted', ...user }
}

/** What a subscription brings first, or why it ended without anything. */
function firstOf(watch: { until(accept: () => boolean): Promise<unknown> }): Promise<unknown> {
  return watch.until(() => true).catch((error: unknown) => String(error))
}

function renameIds(answer: unknown, from: Ids, to: Ids): unknown {
  let text = JSON.stringify(answer)
  for (const kind of Object.keys(from) as (keyof Ids)[]) text = text.replaceAll(from[kind], to[kind])
  return JSON.parse(text)
}
