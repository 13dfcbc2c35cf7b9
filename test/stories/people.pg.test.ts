/**
 * A user loses sight of a session, or of everything: what they follow ends with a reason they can act on, within
 * seconds, and nothing that happens after it reaches them. The change is made at one process, they are connected to
 * another, by WebSocket and by server-sent events, with every subscription that the schema has.
 */
import type { EventEmitter } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { isObjectType } from 'graphql'
import type { WebSocket } from 'ws'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { configPath } from '../../src/config/load-config.ts'
import { logViewOf } from '../../src/graphql/live/log-view.ts'
import { buildSchema } from '../../src/graphql/schema/schema.ts'
import { randomHex } from '../../src/platform/random.ts'
import { must } from '../../src/platform/must.ts'
import {
  AddParticipantDocument,
  ApprovalsDocument,
  ApprovalUpdatesDocument,
  AuditDocument,
  AuditTrailDocument,
  CreateFactDocument,
  DeleteSessionDocument,
  FactUpdatesDocument,
  LearningsDocument,
  LearningUpdatesDocument,
  MessageOutputsDocument,
  OpenSessionDocument,
  PipelineStepsDocument,
  PluginUpdatesDocument,
  RemoveParticipantDocument,
  SendMessageDocument,
  ScheduleUpdatesDocument,
  ServerUpdatesDocument,
  SessionUpdatesDocument,
  ProposalUpdatesDocument,
  QuestionUpdatesDocument,
  DeliveryUpdatesDocument,
  UpdateSessionDocument,
  WatchSessionDocument,
  type TypedDocumentString,
} from '../generated/graphql.ts'
import { RawSocket } from '../door/raw-socket.ts'
import { approvalRules, untilAsked } from '../harness/approvals.ts'
import { ApiClient, type Watch } from '../harness/api-client.ts'
import { runAsAdmin } from '../harness/database.ts'
import { send, Story, storyConfig, tokenOf, turnEnd, watchAll } from '../harness/story.ts'
import { PATIENCE } from '../harness/patience.ts'

/** Those that follow one session, and those of lists. */
const LOG_VIEWS = {
  sessionEvents: WatchSessionDocument,
  pipelineSteps: PipelineStepsDocument,
  messageOutputs: MessageOutputsDocument,
} as const
const LISTS = {
  sessionUpdates: SessionUpdatesDocument,
  approvalUpdates: ApprovalUpdatesDocument,
  scheduleUpdates: ScheduleUpdatesDocument,
  serverUpdates: ServerUpdatesDocument,
} as const
const ADMIN_LISTS = {
  learningUpdates: LearningUpdatesDocument,
  factUpdates: FactUpdatesDocument,
  questionUpdates: QuestionUpdatesDocument,
  proposalUpdates: ProposalUpdatesDocument,
  deliveryUpdates: DeliveryUpdatesDocument,
  pluginUpdates: PluginUpdatesDocument,
  auditTrail: AuditTrailDocument,
} as const

test('these are all the subscriptions there are', () => {
  const type = buildSchema().getSubscriptionType()
  const fields = Object.values(isObjectType(type) ? type.getFields() : {})
  const views = fields.filter(({ extensions }) => logViewOf(extensions) !== null).map(({ name }) => name)
  expect(Object.keys(LOG_VIEWS).sort()).toEqual(views.sort())
  expect(Object.keys({ ...LISTS, ...ADMIN_LISTS, ...LOG_VIEWS }).sort()).toEqual(fields.map(({ name }) => name).sort())
})

const DORA_TOKEN = 'dora-token-0123456789abcdef'
const doraAs = (role: string): string =>
  `[users.dora]\n${role}\n[tokens.dora]\nkind = "user"\nuser = "dora"\ntoken = "${DORA_TOKEN}"\n`
const ADMIN = 'role = "admin"'
const USER = 'role = "user"\nskills = []'
const RULES = approvalRules('effect = "require"\ncommand = "tee"')
const configWith = (dora: string): string => storyConfig({ toml: `${dora}${RULES}` })

let here: Story
let there: Story
let sessions = 0
/** Stands in what happens after a user lost sight of it; another in each test. */
let canary = ''
beforeEach(() => void (canary = `canary-${randomHex(6)}`))

beforeAll(async () => {
  here = await Story.begin({ config: { toml: `${doraAs(ADMIN)}${RULES}` } })
  there = await Story.begin({ beside: here })
})
afterAll(async () => {
  await there[Symbol.asyncDispose]()
  await here[Symbol.asyncDispose]()
})

/** Dora is connected to the one process, and everything is done at the other. */
const dora = (): ApiClient => new ApiClient(here.app.url, DORA_TOKEN)

/** What a user follows, by field and transport. */
type Watches = ReadonlyMap<string, Watch<unknown>>

let open: Watches[] = []
afterEach(async () => {
  for (const watches of open) for (const watch of watches.values()) await watch.close()
  open = []
})

/** Follows with each of these documents, over both transports. */
function followAll(
  client: ApiClient,
  documents: Readonly<Record<string, TypedDocumentString<unknown, never>>>,
  variables: object,
): Watches {
  const watches = new Map<string, Watch<unknown>>()
  for (const [name, document] of Object.entries(documents)) {
    watches.set(`${name} over WebSocket`, client.watch(document, variables as never))
    watches.set(`${name} over SSE`, client.watchSse(document, variables as never))
  }
  open.push(watches)
  return watches
}

/** A session of Ben's in which everything has happened that a subscription could tell of: Cleo and Dora take part. */
async function openSession(): Promise<string> {
  const id = `discord:people-${(sessions += 1)}`
  const ben = there.as('ben')
  await there.as('discord').run(OpenSessionDocument, { input: { id, participants: ['ben', 'cleo', 'dora'] } })
  await send(ben, id, 'run: true\nlearn: The sky is blue.\nHello')
  await using watch = watchAll(ben, id)
  await turnEnd(watch)
  return id
}

/** All of them have told something: they work. */
async function untilHeard(watches: Watches): Promise<void> {
  await Promise.all([...watches.values()].map((watch) => watch.until(() => true)))
}

/** What happens after a user was removed, and would be told them if they were not. */
async function goOn(id: string): Promise<void> {
  await using watch = watchAll(there.as('ben'), id)
  await turnEnd(watch)
  await send(there.as('ben'), id, `run: echo ${canary}\n${canary}`)
  await turnEnd(watch, 2)
}

/** How each has ended, told by what it ends with; "told too much" when something of what came after has come. */
async function endingsOf(watches: Watches, reasons: Reasons): Promise<readonly string[]> {
  const endings: string[] = []
  for (const [name, watch] of watches) {
    const reason = await watch.ended
    const isExpected = (name.endsWith('SSE') ? reasons.sse : reasons.webSocket).test(reason)
    const tooMuch = JSON.stringify(watch.received).includes(canary) ? ', told too much' : ''
    endings.push(`${isExpected ? 'ended as expected' : `${name}: ${reason}`}${tooMuch}`)
  }
  return [...new Set(endings)]
}

const ENDED = ['ended as expected']

interface Reasons {
  readonly webSocket: RegExp
  readonly sse: RegExp
}

const NOT_FOUND = { webSocket: /"NOT_FOUND"/, sse: /"NOT_FOUND"/ }
const TOKEN_REMOVED = { webSocket: /^4401 TOKEN_REMOVED/, sse: /"UNAUTHENTICATED"/ }
const RIGHTS_CHANGED = { webSocket: /^4205 RIGHTS_CHANGED/, sse: /"RIGHTS_CHANGED"/ }

describe('what follows one session', () => {
  test('ends for who is removed, and for nobody else', async () => {
    const id = await openSession()
    const cleos = followAll(here.as('cleo'), LOG_VIEWS, { sessionId: id, after: 0 })
    const bens = followAll(here.as('ben'), LOG_VIEWS, { sessionId: id, after: 0 })
    await Promise.all([untilHeard(cleos), untilHeard(bens)])
    await there.as('ada').run(RemoveParticipantDocument, { sessionId: id, user: 'cleo' })
    await goOn(id)
    expect(await endingsOf(cleos, NOT_FOUND)).toEqual(ENDED)
    for (const watch of bens.values()) await watch.until((data) => JSON.stringify(data).includes('"seq"'))
    const heard = must(bens.get('messageOutputs over SSE'), 'a watch')
    await heard.until((data) => JSON.stringify(data).includes(canary))
  })

  test('ends for who leaves, and begins again for who comes back', async () => {
    const id = await openSession()
    const cleos = followAll(here.as('cleo'), LOG_VIEWS, { sessionId: id, after: 0 })
    await untilHeard(cleos)
    await there.as('cleo').run(RemoveParticipantDocument, { sessionId: id, user: 'cleo' })
    expect(await endingsOf(cleos, NOT_FOUND)).toEqual(ENDED)
    expect(await endingsOf(followAll(here.as('cleo'), LOG_VIEWS, { sessionId: id }), NOT_FOUND)).toEqual(ENDED)
    await there.as('ben').run(AddParticipantDocument, { sessionId: id, user: 'cleo' })
    await untilHeard(followAll(here.as('cleo'), LOG_VIEWS, { sessionId: id, after: 0 }))
  })

  test('ends for everybody when the session is deleted, admins and connectors included', async () => {
    const id = await openSession()
    const all = ['ada', 'cleo', 'discord', 'bridge'] as const
    const watches = all.map((person) => followAll(here.as(person), LOG_VIEWS, { sessionId: id, after: 0 }))
    await Promise.all(watches.map(untilHeard))
    const { deleteSession } = await there.as('discord').run(DeleteSessionDocument, { id })
    expect(deleteSession.__typename).toBe('DeleteSessionPayload')
    for (const some of watches) expect(await endingsOf(some, NOT_FOUND)).toEqual(ENDED)
  })
})

describe('lists', () => {
  test('tell who was removed of nothing that happens in the session, and go on telling of others', async () => {
    const [id, other] = [await openSession(), await openSession()]
    const approvalId = await askForApproval(other, 'something')
    const { sessionUpdates, approvalUpdates } = LISTS
    const cleos = followAll(here.as('cleo'), { sessionUpdates, approvalUpdates }, {})
    for (const watch of cleos.values()) await watch.until(() => true)
    const begun = new Map([...cleos].map(([name, watch]) => [name, watch.received.length]))
    const changeOther = async (description: string): Promise<void> => {
      await touch(other, description)
      await ring([{ kind: 'approval', id: approvalId, sessionId: other }])
    }
    await poke(cleos, () => changeOther(`before ${(sessions += 1)}`), begun)
    await there.as('ada').run(RemoveParticipantDocument, { sessionId: id, user: 'cleo' })
    await touch(id, canary)
    await askForApproval(id, canary)
    const heard = new Map([...cleos].map(([name, watch]) => [name, watch.received.length]))
    await poke(cleos, () => changeOther(`after ${(sessions += 1)}`), heard)
    for (const watch of cleos.values()) expect(JSON.stringify(watch.received).includes(canary)).toBe(false)
  })
})

/** As if this had changed, somewhere. */
async function ring(notifications: readonly object[]): Promise<void> {
  const payload = JSON.stringify({ from: 'test', notifications })
  await runAsAdmin(here.databaseUrl, `SELECT pg_notify('factotum_notifications', '${payload}')`)
}

/** Looks different in lists. */
async function touch(id: string, description: string): Promise<void> {
  await there.as('ada').run(UpdateSessionDocument, { input: { id, description } })
}

async function askForApproval(id: string, word: string): Promise<string> {
  await using watch = watchAll(there.as('ada'), id)
  const { sendMessage } = await there
    .as('ada')
    .run(SendMessageDocument, { input: { sessionId: id, content: `run: echo ${word} | tee x`, mentioned: true } })
  expect(sendMessage.__typename).toBe('SendMessagePayload')
  const [approval] = await untilAsked(watch)
  return must(approval, 'an approval').id
}

/**
 * Does something that lists tell of until all have told of something; more than `heard`, if
 * given.
 */
async function poke(
  watches: Watches,
  something: () => Promise<void>,
  heard: ReadonlyMap<string, number> = new Map(),
): Promise<void> {
  await vi.waitFor(
    async () => {
      await something()
      const silent = [...watches].filter(([name, watch]) => watch.received.length <= (heard.get(name) ?? 0))
      expect(silent.map(([name]) => name)).toEqual([])
    },
    { ...PATIENCE, interval: 100 },
  )
}

describe('everything that a user follows', () => {
  let id: string
  let approvalId: string
  let learningId: string
  let factId: string
  beforeEach(async () => {
    id = await openSession()
    approvalId = await askForApproval(id, 'something')
    const ada = there.as('ada')
    const { learnings } = await ada.run(LearningsDocument, {})
    learningId = must(learnings.edges[0], 'a learning').node.id
    const { createFact } = await ada.run(CreateFactDocument, { content: `Fact ${id}.` })
    factId = createFact.__typename === 'CreateFactPayload' ? createFact.fact.id : ''
  })

  async function followEverything(client: ApiClient, lists: Parameters<typeof followAll>[1]): Promise<Watches> {
    const views = followAll(client, LOG_VIEWS, { sessionId: id, after: 0 })
    const updates = followAll(client, lists, {})
    await untilHeard(views)
    await poke(updates, async () => {
      await ring([
        { kind: 'approval', id: approvalId, sessionId: id },
        { kind: 'row', id: learningId },
        { kind: 'row', id: factId },
      ])
      await touch(id, `looks different ${(sessions += 1)}`)
    })
    return new Map([...views, ...updates])
  }

  function ignoreClose(webSocket: WebSocket, then: () => void): void {
    const { _receiver: receiver } = webSocket as unknown as { readonly _receiver: EventEmitter }
    receiver.removeAllListeners('conclude').once('conclude', then)
  }

  /** The file is what both processes poll; nothing notifies them. */
  const reconfigure = (toml: string): Promise<void> => writeFile(configPath(here.home), toml)

  /** Until both processes have taken it over. */
  const restore = async (): Promise<void> => {
    await here.reconfigure(configWith(doraAs(ADMIN)))
    await there.app.reloadConfig()
  }

  test('ends when an admin becomes a user, with what is only for admins', async () => {
    const watches = await followEverything(dora(), { ...LISTS, ...ADMIN_LISTS })
    await reconfigure(configWith(doraAs(USER)))
    expect(await endingsOf(watches, RIGHTS_CHANGED)).toEqual(ENDED)
    // She comes back with the rights of a user: her sessions, and nothing of admins.
    await untilHeard(followAll(dora(), LOG_VIEWS, { sessionId: id, after: 0 }))
    const lists = followAll(dora(), ADMIN_LISTS, {})
    for (const watch of lists.values()) expect(await watch.ended).toContain('"FORBIDDEN"')
    await restore()
  })

  test('ends when the token is revoked', async () => {
    const watches = await followEverything(here.as('cleo'), LISTS)
    await reconfigure(configWith(doraAs(ADMIN)).replace(/\[tokens\.cleo\][^[]*/, ''))
    expect(await endingsOf(watches, TOKEN_REMOVED)).toEqual(ENDED)
    await restore()
    await touch(id, canary)
    for (const watch of watches.values()) expect(JSON.stringify(watch.received).includes(canary)).toBe(false)
  })

  test('is over also for a client that does not take the end for an answer, and goes on asking', async () => {
    const socket = await RawSocket.open(here.app.url.replace('http', 'ws') + '/graphql', tokenOf('cleo'))
    // From here on it reads no close frame, so it answers none.
    const heard = new Promise((resolve) => ignoreClose(socket.socket, () => resolve('told to close')))
    await reconfigure(configWith(doraAs(ADMIN)).replace(/\[tokens\.cleo\][^[]*/, ''))
    expect(await heard).toBe('told to close')
    const query = `mutation { updateSession(input: {id: "${id}", description: "${canary}"}) { __typename } }`
    socket.send({ type: 'subscribe', id: '1', payload: { query } })
    socket.socket.close()
    await socket.closed
    await touch(id, 'after that')
    await restore()
    await using watch = watchAll(there.as('ada'), id)
    await watch.until(({ sessionEvents }) => JSON.stringify(sessionEvents).includes('after that'))
    const { audit } = await there.as('ada').run(AuditDocument, { filter: { sessionId: id, kind: ['SESSION'] } })
    expect(audit.edges.map(({ node }) => node.tokenName)).not.toContain('cleo')
  })

  test('ends when the user is removed, with their token', async () => {
    const watches = await followEverything(dora(), { ...LISTS, ...ADMIN_LISTS })
    await reconfigure(configWith(''))
    expect(await endingsOf(watches, TOKEN_REMOVED)).toEqual(ENDED)
    await restore()
  })

  test('ends when the namespace of a connector changes, and what is outside the new one is not there', async () => {
    const watches = await followEverything(here.as('discord'), LISTS)
    await reconfigure(configWith(doraAs(ADMIN)).replace('namespace = "discord"', 'namespace = "discord2"'))
    expect(await endingsOf(watches, RIGHTS_CHANGED)).toEqual(ENDED)
    expect(await endingsOf(followAll(here.as('discord'), LOG_VIEWS, { sessionId: id }), NOT_FOUND)).toEqual(ENDED)
    const { approvals } = await here.as('discord').run(ApprovalsDocument, {})
    expect(approvals.edges).toEqual([])
    await restore()
  })
})
