/**
 * Admins say who there is: users, tokens, identities; what they change holds at once, in every process, in running
 * turns.
 */
import { writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createLogger } from '../../src/platform/logger.ts'
import { must } from '../../src/platform/must.ts'
import { Database } from '../../src/store/database.ts'
import { KEPT, MOVES } from '../../src/store/people/move-user.ts'
import { ApiClient } from '../harness/api-client.ts'
import { findInDatabase } from '../harness/find-in-database.ts'
import { converse, send, Story, storyConfig, turnEnd, watchAll } from '../harness/story.ts'
import {
  AuditDocument,
  CreateScheduleDocument,
  CreateTokenDocument,
  CreateUserDocument,
  FactScopesDocument,
  StateFactDocument,
  LinkIdentityDocument,
  MergeUsersDocument,
  OpenedByDocument,
  RemoveUserDocument,
  RevokeTokenDocument,
  SchedulesDocument,
  SendMessageDocument,
  TokensDocument,
  TurnDocument,
  UnlinkIdentityDocument,
  UpdateUserDocument,
  UserNodeDocument,
  UsersDocument,
  ViewerDocument,
  WatchSessionDocument,
  type CreateUserInput,
} from '../generated/graphql.ts'
import { PATIENCE } from '../harness/patience.ts'

/** Where each test adds users of its own. */
let story: Story
beforeAll(async () => {
  story = await Story.begin()
})
afterAll(() => story?.[Symbol.asyncDispose]())

/** Adds a user with a token of the same name; returns them as a client. */
async function add(to: Story, input: CreateUserInput): Promise<ApiClient> {
  const ada = to.as('ada')
  const { createUser } = await ada.run(CreateUserDocument, { input })
  expect(createUser).toMatchObject({ __typename: 'CreateUserPayload', user: { name: input.name, role: input.role } })
  return new ApiClient(to.app.url, await addToken(to, input.name))
}

async function addToken(to: Story, user: string): Promise<string> {
  const token = { name: user, kind: 'USER', user } as const
  const { createToken } = await to.as('ada').run(CreateTokenDocument, { input: token })
  if (createToken.__typename !== 'CreateTokenPayload') throw new Error(JSON.stringify(createToken))
  expect(createToken.token).toMatchObject({ name: user, kind: 'USER', user: { name: user }, declared: false })
  return createToken.secret
}

const configChanges = async (): Promise<(readonly [string, string, string])[]> => {
  const { audit } = await story.as('ada').run(AuditDocument, { first: 50, filter: { kind: ['CONFIG'] } })
  return audit.edges
    .flatMap(({ node }) =>
      node.__typename === 'ConfigAudit' ? [[node.configChange, node.configDetail, node.actor.name] as const] : [],
    )
    .toReversed()
}

test('a user with a token works at once, in every process; revoked, their connections end', async () => {
  await using there = await Story.begin({ beside: story })
  const dora = await add(story, { name: 'dora', role: 'USER', skills: ['search'] })
  const doraThere = new ApiClient(there.app.url, must(dora.token, 'a token'))
  expect((await dora.run(ViewerDocument)).viewer).toMatchObject({ role: 'USER', ownNamespace: '@dora' })
  await vi.waitFor(async () => expect((await doraThere.request(ViewerDocument)).status).toBe(200), PATIENCE)
  expect((await converse(doraThere, '@dora:first', 'Hello')).status).toBe('DONE')

  // Only the hash is kept, and nothing tells the secret a second time.
  expect(await findInDatabase(story.databaseUrl, [must(dora.token, 'a token')])).toEqual([])
  await using socket = doraThere.watch(WatchSessionDocument, { sessionId: '@dora:first', after: 0 })
  await using sse = doraThere.watchSse(WatchSessionDocument, {
    sessionId: '@dora:first',
    after: 0,
  })
  await Promise.all([socket.until(() => true), sse.until(() => true)])
  const { revokeToken } = await story.as('ada').run(RevokeTokenDocument, { input: { name: 'dora' } })
  expect(revokeToken.__typename).toBe('RevokeTokenPayload')
  expect((await dora.request(ViewerDocument)).status).toBe(401)
  expect(await socket.ended).toMatch(/^440[13] /)
  expect(await sse.ended).toContain('UNAUTHENTICATED')
  const changes = await configChanges()
  expect(changes.filter(([, detail]) => detail.startsWith('dora'))).toEqual([
    ['USER_CREATED', 'dora, role USER', 'ada'],
    ['TOKEN_CREATED', 'dora of dora', 'ada'],
    ['TOKEN_REVOKED', 'dora', 'ada'],
  ])
})

test('what is listed: users with what they may, tokens with their last use; for admins alone', async () => {
  await using place = await Story.begin()
  await add(place, { name: 'dora', role: 'USER', allSkills: true })
  const ada = place.as('ada')
  const page = await ada.run(UsersDocument, { first: 2 })
  expect(page.users?.edges.map(({ node }) => node.name)).toEqual(['ada', 'ben'])
  const rest = await ada.run(UsersDocument, { first: 9, after: must(page.users?.edges[1] ?? null, 'an edge').cursor })
  expect(rest.users?.edges.map(({ node }) => [node.name, node.account?.declared, node.account?.allSkills])).toEqual([
    ['cleo', true, false],
    ['dora', false, true],
  ])
  const ben = must(page.users?.edges[1]?.node ?? null, 'Ben')
  expect(ben.account?.identities).toContainEqual({ connector: 'discord', identity: 'Ben#1' })
  expect((await ada.run(UserNodeDocument, { id: ben.id })).node).toEqual(ben)
  expect((await place.as('ben').run(UserNodeDocument, { id: ben.id })).node).toEqual(ben)
  // Cleo has no session with him.
  expect((await place.as('cleo').run(UserNodeDocument, { id: ben.id })).node).toBeNull()
  await vi.waitFor(
    async () => {
      const { tokens } = await ada.run(TokensDocument, { user: 'ada' })
      const [token] = tokens?.edges ?? []
      const usedAt = new Date(token?.node.lastUsedAt ?? 0).getTime()
      expect(Math.abs(Date.now() - usedAt)).toBeLessThan(20_000)
    },
    { ...PATIENCE, interval: 500 },
  )
  const refused = await place.as('ben').request(UsersDocument, {})
  expect(refused).toMatchObject({ data: { users: null }, errors: [{ extensions: { code: 'FORBIDDEN' } }] })
})

test('names are for good, those of server parts are nobody’s, and config.toml is changed only there', async () => {
  const ada = story.as('ada')
  const create = async (name: string, more: Partial<CreateUserInput> = {}): Promise<unknown> => {
    const { createUser } = await ada.run(CreateUserDocument, { input: { name, role: 'USER', ...more } })
    return 'reason' in createUser ? createUser.reason : 'code' in createUser ? createUser.code : createUser.__typename
  }
  expect([await create('curator'), await create('scheduler'), await create('Dora'), await create('')]).toEqual(
    Array.from({ length: 4 }, () => 'INVALID_INPUT'),
  )
  expect([await create('faye'), await create('faye'), await create('ben')]).toEqual([
    'CreateUserPayload',
    'NAME_TAKEN',
    'NAME_TAKEN',
  ])
  const removed = await ada.run(RemoveUserDocument, { input: { user: 'faye' } })
  expect(removed.removeUser.__typename).toBe('RemoveUserPayload')
  expect([await create('faye'), await create('faye', { restore: true })]).toEqual(['NAME_TAKEN', 'CreateUserPayload'])

  const declared = { __typename: 'ConflictRefusal', reason: 'DECLARED' }
  expect((await ada.run(UpdateUserDocument, { input: { user: 'ben', role: 'ADMIN' } })).updateUser).toMatchObject(
    declared,
  )
  expect((await ada.run(RemoveUserDocument, { input: { user: 'ben' } })).removeUser).toMatchObject(declared)
  expect((await ada.run(RevokeTokenDocument, { input: { name: 'ben' } })).revokeToken).toMatchObject(declared)
  expect((await ada.run(MergeUsersDocument, { input: { from: 'ben', into: 'cleo' } })).mergeUsers).toMatchObject(
    declared,
  )
  const { createToken } = await ada.run(CreateTokenDocument, { input: { name: 'schedule', kind: 'CONNECTOR' } })
  expect(createToken.__typename).toBe('InvalidInputRefusal')
  expect((await story.as('ben').request(RemoveUserDocument, { input: { user: 'faye' } })).errors).toMatchObject([
    { extensions: { code: 'FORBIDDEN' } },
  ])
})

test('who goes from config.toml leaves no way in to who gets the name', async () => {
  await using place = await Story.begin()
  const ada = place.as('ada')
  const tokenFor = async (name: string): Promise<ApiClient> => {
    const { createToken } = await ada.run(CreateTokenDocument, { input: { name, kind: 'USER', user: 'cleo' } })
    if (createToken.__typename !== 'CreateTokenPayload') throw new Error(JSON.stringify(createToken))
    return new ApiClient(place.app.url, createToken.secret)
  }
  const [desk, phone] = [await tokenFor('cleo-desk'), await tokenFor('cleo-phone')]
  await ada.run(LinkIdentityDocument, { input: { user: 'cleo', connector: 'discord', identity: 'Cleo#1' } })
  expect((await desk.request(ViewerDocument)).status).toBe(200)
  const withoutCleo = storyConfig()
    .replace('[users.cleo]\nrole = "user"\nskills = []\n', '')
    .replace(/\[tokens\.cleo\]\n(?:\w+ = .*\n)+/, '')
  await place.reconfigure(withoutCleo)
  expect((await desk.request(ViewerDocument)).status).toBe(401)
  const revoke = async () => (await ada.run(RevokeTokenDocument, { input: { name: 'cleo-phone' } })).revokeToken
  expect(await revoke()).toMatchObject({ __typename: 'RevokeTokenPayload' })
  expect(await revoke()).toMatchObject({ __typename: 'NotFoundRefusal' })

  const { createUser } = await ada.run(CreateUserDocument, { input: { name: 'cleo', role: 'USER' } })
  expect(createUser).toMatchObject({ user: { account: { identities: [] } } })
  expect([(await desk.request(ViewerDocument)).status, (await phone.request(ViewerDocument)).status]).toEqual([
    401, 401,
  ])
  const input = { sessionId: 'discord:lobby', content: 'Hello', user: 'Cleo#1' }
  const { sendMessage } = await place.as('discord').run(SendMessageDocument, { input })
  expect(sendMessage).toMatchObject({ message: { trusted: false } })
})

test('the last admin cannot go, nor their last token, in whatever way', async () => {
  await using place = await Story.begin()
  const dora = await add(place, { name: 'dora', role: 'ADMIN' })
  const eve = await add(place, { name: 'eve', role: 'USER' })
  await place.reconfigure(
    storyConfig().replace('[users.ada]\nrole = "admin"', '[users.ada]\nrole = "user"\nskills = []'),
  )
  const last = { __typename: 'ConflictRefusal', reason: 'LAST_ADMIN' }
  const tries = async () => [
    (await dora.run(RemoveUserDocument, { input: { user: 'dora' } })).removeUser,
    (await dora.run(UpdateUserDocument, { input: { user: 'dora', role: 'USER' } })).updateUser,
    (await dora.run(RevokeTokenDocument, { input: { name: 'dora' } })).revokeToken,
    (await dora.run(MergeUsersDocument, { input: { from: 'dora', into: 'eve' } })).mergeUsers,
  ]
  expect(await tries()).toMatchObject([last, last, last, last])
  expect((await dora.run(ViewerDocument)).viewer.role).toBe('ADMIN')
  await dora.run(UpdateUserDocument, { input: { user: 'eve', role: 'ADMIN' } })
  // Two who remove each other at once: one of them is left.
  const both = await Promise.all([
    dora.request(RemoveUserDocument, { input: { user: 'eve' } }),
    eve.request(RemoveUserDocument, { input: { user: 'dora' } }),
  ])
  const left = await Promise.all([dora.request(ViewerDocument), eve.request(ViewerDocument)])
  expect(left.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(JSON.stringify(both)).toContain('RemoveUserPayload')
})

test('a linked identity is the user, an unlinked one a stranger', async () => {
  await add(story, { name: 'gus', role: 'USER' })
  const ada = story.as('ada')
  const sent = async (): Promise<unknown> => {
    const input = { sessionId: 'discord:lobby', content: 'Hello', user: 'Gus#1' }
    const { sendMessage } = await story.as('discord').run(SendMessageDocument, { input })
    return sendMessage.__typename === 'SendMessagePayload'
      ? [sendMessage.message.trusted, sendMessage.message.user]
      : null
  }
  const link = { user: 'gus', connector: 'discord', identity: 'Gus#1' }
  expect(await sent()).toEqual([false, 'Gus#1'])
  const { linkIdentity } = await ada.run(LinkIdentityDocument, { input: link })
  expect(linkIdentity).toMatchObject({
    user: { account: { identities: [{ connector: 'discord', identity: 'Gus#1' }] } },
  })
  expect(await sent()).toEqual([true, 'gus'])
  const { linkIdentity: taken } = await ada.run(LinkIdentityDocument, { input: { ...link, user: 'cleo' } })
  expect(taken).toMatchObject({ __typename: 'ConflictRefusal', reason: 'SAME_EXISTS' })
  await ada.run(UnlinkIdentityDocument, { input: link })
  expect(await sent()).toEqual([false, 'Gus#1'])
})

/** What a user begins that does not end by itself: `go` lets it. */
async function beginTurn(client: ApiClient, sessionId: string) {
  const gate = story.path(sessionId.replace(/\W/g, '-'))
  await send(client, sessionId, `run: until [ -e ${gate} ]; do sleep 0.02; done; echo first\nrun: echo second`)
  const watch = watchAll(story.as('ada'), sessionId)
  await watch.until(
    ({ sessionEvents: event }) => event.__typename === 'TaskUpdateEvent' && event.taskStatus === 'RUNNING',
  )
  const end = async () => {
    await writeFile(gate, '')
    const { turnId } = await turnEnd(watch)
    await watch.close()
    return must((await story.as('ada').run(TurnDocument, { id: turnId ?? '' })).turn ?? null, 'the turn')
  }
  return { end }
}

test('who is removed while a turn of theirs runs does nothing more with the next task', async () => {
  const hal = await add(story, { name: 'hal', role: 'ADMIN' })
  const turn = await beginTurn(hal, '@hal:work')
  await story.as('ada').run(RemoveUserDocument, { input: { user: 'hal' } })
  const { status, tasks } = await turn.end()
  expect(status).toBe('FAILED')
  expect(tasks).toMatchObject([{ status: 'DONE', output: 'first\n' }, { status: 'FAILED', output: null }, {}, {}])
})

test('who becomes another: sessions, messages, schedules, tokens, and the turn that runs', async () => {
  const ada = story.as('ada')
  const ida = await add(story, { name: 'ida', role: 'ADMIN' })
  const jon = await add(story, { name: 'jon', role: 'ADMIN' })
  const cron = { name: 'daily', content: 'Good morning', cron: '0 9 * * *' }
  expect((await ida.run(CreateScheduleDocument, { input: cron })).createSchedule.__typename).toBe(
    'CreateSchedulePayload',
  )
  await ada.run(LinkIdentityDocument, { input: { user: 'ida', connector: 'discord', identity: 'Ida#1' } })
  const known = [
    ['ida', 'The vault opens at nine.'],
    ['ida', 'The vault is locked.'],
    ['jon', 'The vault is locked.'],
  ] as const
  for (const [of, content] of known)
    await ada.run(StateFactDocument, { input: { content, scope: { scope: 'USER', of } } })
  const turn = await beginTurn(ida, '@ida:work')
  const { mergeUsers } = await ada.run(MergeUsersDocument, { input: { from: 'ida', into: 'jon' } })
  expect(mergeUsers).toMatchObject({ user: { name: 'jon', account: { formerNames: ['ida'] } } })
  expect(await turn.end()).toMatchObject({ status: 'DONE', tasks: [{ output: 'first\n' }, { output: 'second\n' }, {}] })

  const { session } = await jon.run(OpenedByDocument, { id: '@ida:work' })
  expect(session).toMatchObject({ openedBy: { __typename: 'User', name: 'jon' }, participants: [{ name: 'jon' }] })
  const { facts } = await ada.run(FactScopesDocument, { filter: { scope: ['USER'] } })
  expect(facts.edges.map(({ node }) => [node.scopeOf, node.content])).toEqual([
    ['jon', 'The vault is locked.'],
    ['jon', 'The vault opens at nine.'],
  ])
  expect((await jon.run(SchedulesDocument, {})).schedules.edges).toMatchObject([{ node: { user: 'jon' } }])
  expect((await ida.run(ViewerDocument)).viewer).toMatchObject({ tokenName: 'ida', user: { name: 'jon' } })
  const input = { sessionId: 'discord:lobby', content: 'Hello', user: 'Ida#1' }
  const { sendMessage } = await story.as('discord').run(SendMessageDocument, { input })
  expect(sendMessage).toMatchObject({ message: { trusted: true, user: 'jon' } })
  expect((await converse(jon, '@ida:work', 'Still there?')).status).toBe('DONE')
  const again = await ada.run(CreateUserDocument, { input: { name: 'ida', role: 'USER', restore: true } })
  expect(again.createUser).toMatchObject({ __typename: 'ConflictRefusal', reason: 'NAME_TAKEN' })

  // The audit keeps both names.
  expect(await configChanges()).toContainEqual(['USER_MERGED', 'ida has become jon', 'ada'])
  const { audit } = await ada.run(AuditDocument, { first: 50, filter: { sessionId: '@ida:work' } })
  const actors = audit.edges.map(({ node }) => node.actor)
  expect(actors).toContainEqual({ __typename: 'FormerUser', name: 'ida' })
  expect(actors).toContainEqual({ __typename: 'User', name: 'jon' })
})

test('every column that names users is moved by a merge, or said to be kept', async () => {
  const logger = createLogger({ level: 'silent', pretty: false })
  const database = new Database({ url: story.databaseUrl, maxConnections: 1, logger })
  const rows = await database.query<{ column: string }>(
    {
      name: '',
      text: `SELECT table_name || '.' || column_name AS column FROM information_schema.columns
        WHERE table_schema = 'public' AND table_name NOT LIKE '\\_%' AND (data_type IN ('text', 'ARRAY')
          AND (column_name ~ '(^|_)(user|owner|opener)(_name)?$' OR column_name ~ '_by$' OR column_name = 'scope_of')
          OR (table_name, column_name) = ('fact_versions', 'before')) ORDER BY 1`,
    },
    [],
  )
  await database.close()
  expect(rows.map(({ column }) => column)).toEqual([...Object.keys(MOVES), ...KEPT].sort())
})
