/** A person links a second channel alone: by a code that works once, for ten minutes, and is kept nowhere. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createLogger } from '../../src/platform/logger.ts'
import { Database } from '../../src/store/database.ts'
import { ApiClient } from '../harness/api-client.ts'
import { findInDatabase } from '../harness/find-in-database.ts'
import { Story, storyConfig, type Person } from '../harness/story.ts'
import {
  AppendMessageDocument,
  AuditDocument,
  ChatPageDocument,
  CreateLinkCodeDocument,
  CreateTokenDocument,
  CreateUserDocument,
  LinkIdentityDocument,
  RedeemLinkCodeDocument,
  RemoveUserDocument,
  SendLinkDocument,
  type Role,
} from '../generated/graphql.ts'
import { PATIENCE } from '../harness/patience.ts'

let story: Story
let database: Database
beforeAll(async () => {
  story = await Story.begin({ config: { settings: { requests_per_minute: 100_000 } } })
  const logger = createLogger({ level: 'silent', pretty: false })
  database = new Database({ url: story.databaseUrl, maxConnections: 2, logger })
})
afterAll(async () => {
  await database.close()
  await story[Symbol.asyncDispose]()
})

async function codeOf(client: ApiClient): Promise<string> {
  const { createLinkCode } = await client.run(CreateLinkCodeDocument)
  if (createLinkCode.__typename !== 'CreateLinkCodePayload') throw new Error(JSON.stringify(createLinkCode))
  return createLinkCode.linkCode
}

/** Adds a user with a token of the same name; returns them as a client. */
async function add(name: string, role: Role = 'USER'): Promise<ApiClient> {
  await story.as('ada').run(CreateUserDocument, { input: { name, role } })
  const input = { name, kind: 'USER', user: name } as const
  const { createToken } = await story.as('ada').run(CreateTokenDocument, { input })
  if (createToken.__typename !== 'CreateTokenPayload') throw new Error(JSON.stringify(createToken))
  return new ApiClient(story.app.url, createToken.secret)
}

/** What it came to, in a word. */
async function redeem(code: string, user: string, more: { by?: Person; merge?: boolean; at?: Story } = {}) {
  const { by = 'bridge', merge = false, at = story } = more
  const { redeemLinkCode: result } = await at.as(by).run(RedeemLinkCodeDocument, { input: { code, user, merge } })
  if (result.__typename === 'RedeemLinkCodePayload') return `is ${result.user?.name}`
  return 'reason' in result ? result.reason : result.code
}

async function say(sessionId: string, content: string, more: { by?: Person; user?: string; idempotencyKey?: string }) {
  const { by = 'discord', ...rest } = more
  return (await story.as(by).run(SendLinkDocument, { input: { sessionId, content, ...rest } })).sendMessage
}

/** Whose words those of the identity are taken for; null: a stranger's. */
async function known(user: string, at = story, by: 'bridge' | 'discord' = 'bridge'): Promise<string | null> {
  const input = { sessionId: `${by}:who`, content: 'Hello', user }
  const { appendMessage } = await at.as(by).run(AppendMessageDocument, { input })
  if (appendMessage.__typename !== 'AppendMessagePayload') throw new Error(JSON.stringify(appendMessage))
  const { message } = appendMessage
  return message.trusted ? (message.user ?? null) : null
}

/** As if so much time had passed for what is stored. */
async function age(table: 'link_codes' | 'link_guesses'): Promise<void> {
  const column = table === 'link_codes' ? 'expires_at' : 'at'
  await database.query({ name: '', text: `UPDATE ${table} SET ${column} = ${column} - interval '10 minutes'` }, [])
}

async function changes(): Promise<string[]> {
  const { audit } = await story.as('ada').run(AuditDocument, { first: 100, filter: { kind: ['CONFIG'] } })
  return audit.edges.flatMap(({ node }) =>
    node.__typename === 'ConfigAudit' ? [`${node.configChange} ${node.configDetail} (${node.tokenName})`] : [],
  )
}

test('by a message in the other channel, which keeps no code and starts no turn; in every process within a second', async () => {
  await using beside = await Story.begin({ beside: story })
  const code = await codeOf(story.as('ben'))
  expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{5}-[0-9A-HJKMNP-TV-Z]{5}$/)
  expect(await known('Benjamin#7', story, 'discord')).toBeNull()
  const typed = `/link ${code.toLowerCase()}`
  const message = { content: '/link [REDACTED]', turn: null }
  const linked = { __typename: 'SendMessagePayload', linkedTo: { name: 'ben' }, message }
  const sent = await say('discord:bens', typed, { user: 'Benjamin#7', idempotencyKey: 'once' })
  expect(sent).toMatchObject({ ...linked, duplicate: false })
  expect(await known('Benjamin#7', story, 'discord')).toBe('ben')
  await vi.waitFor(async () => expect(await known('Benjamin#7', beside, 'discord')).toBe('ben'), PATIENCE)
  // The answer was lost, and it is sent again.
  const again = await say('discord:bens', typed, { user: 'Benjamin#7', idempotencyKey: 'once' })
  expect(again).toMatchObject({ ...linked, duplicate: true })
  // It worked once: for others it is spent.
  expect(await redeem(code, 'Eve#1')).toBe('INVALID_INPUT')
  expect(await known('Eve#1')).toBeNull()
  const { session } = await story.as('ada').run(ChatPageDocument, { id: 'discord:bens', last: 9 })
  expect(JSON.stringify(session)).toContain('/link [REDACTED]')
  const forms = [code, code.replace('-', ''), code.toLowerCase(), code.toLowerCase().replace('-', '')]
  expect(await findInDatabase(story.databaseUrl, forms)).toEqual([])
  expect(await changes()).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^LINK_CODE_CREATED by ben, until .* \(ben\)$/),
      'IDENTITY_LINKED "Benjamin#7" at discord is ben, by a code of theirs (discord)',
    ]),
  )
})

test('by a mutation of the connector; a code that has expired, is unknown or mistyped is none', async () => {
  const cleo = story.as('cleo')
  const code = await codeOf(cleo)
  expect(await redeem(code.replace('-', ' '), 'cleo@example.org')).toBe('is cleo')
  expect(await redeem(code, 'cleo@example.org')).toBe('is cleo')
  expect(await known('cleo@example.org')).toBe('cleo')
  const late = await codeOf(cleo)
  await age('link_codes')
  expect([await redeem(late, 'late'), await redeem('nonsense', 'late'), await redeem('00000-00002', 'late')]).toEqual(
    Array.from({ length: 3 }, () => 'INVALID_INPUT'),
  )
  expect(await known('late')).toBeNull()
})

test('codes cannot be found by trying: neither by one identity, nor by many of a connector, nor in two processes', async () => {
  await using beside = await Story.begin({ beside: story })
  const code = await codeOf(story.as('cleo'))
  const guess = (n: number, user: string, at = story) => redeem(`00000-0${1000 + n}`, user, { at })
  const own: string[] = []
  for (let n = 0; n < 6; n++) own.push(await guess(n, 'Mallory', n % 2 === 0 ? story : beside))
  expect(own).toEqual([...Array.from({ length: 5 }, () => 'INVALID_INPUT'), 'LIMIT_EXCEEDED'])
  expect([await redeem(code, 'Mallory'), await redeem(code, 'Mallory', { at: beside })]).toEqual([
    'LIMIT_EXCEEDED',
    'LIMIT_EXCEEDED',
  ])
  // Many at once, of as many identities; no more than a busy server admits.
  const many: string[] = []
  for (const from of [0, 40, 80]) {
    const numbers = Array.from({ length: 40 }, (_, n) => from + n)
    many.push(...(await Promise.all(numbers.map((n) => guess(n, `m${n}`, n % 2 === 0 ? story : beside)))))
  }
  const guesses = await database.prisma.linkGuess.count({ where: { tokenName: 'bridge' } })
  expect(guesses).toBe(50)
  expect(many.filter((outcome) => outcome === 'LIMIT_EXCEEDED').length).toBeGreaterThan(70)
  expect(await redeem(code, 'innocent')).toBe('LIMIT_EXCEEDED')
  // Other channels are not held up by it.
  expect(await redeem(code, 'Cleo#2', { by: 'discord' })).toBe('is cleo')
  expect((await changes()).filter((change) => change.startsWith('LINK_CODES_GUESSED'))).not.toEqual([])
  await age('link_guesses')
  expect(await redeem(await codeOf(story.as('cleo')), 'innocent')).toBe('is cleo')
  expect(await database.prisma.linkGuess.count({ where: { tokenName: 'bridge' } })).toBe(50)
  expect(await guess(1, 'another')).toBe('INVALID_INPUT')
  expect(await database.prisma.linkGuess.count()).toBe(1)
})

test('only the person makes a code, a few at a time; only in the other channel it is used', async () => {
  const { createLinkCode } = await story.as('discord').run(CreateLinkCodeDocument)
  expect(createLinkCode).toMatchObject({ __typename: 'ConflictRefusal', reason: 'NOT_ALLOWED' })
  const dora = await add('dora')
  const codes = [await codeOf(dora), await codeOf(dora), await codeOf(dora)]
  const { createLinkCode: fourth } = await dora.run(CreateLinkCodeDocument)
  expect(fourth).toMatchObject({ __typename: 'LimitExceededRefusal', limit: 3, used: 3 })
  expect(await redeem(codes[0] ?? '', 'ben', { by: 'ben' })).toBe('NOT_ALLOWED')
  expect(await redeem(codes[0] ?? '', 'dora')).toBe('is dora')
  expect((await dora.run(CreateLinkCodeDocument)).createLinkCode.__typename).toBe('CreateLinkCodePayload')
  await story.as('ada').run(RemoveUserDocument, { input: { user: 'dora' } })
  expect(await redeem(codes[1] ?? '', 'dora-2')).toBe('INVALID_INPUT')
  // Of a user whom config.toml declared.
  const code = await codeOf(story.as('cleo'))
  const sections = storyConfig().split(/^(?=\[)/m)
  await story.reconfigure(sections.filter((section) => !/^\[(users|tokens)\.cleo\]/.test(section)).join(''))
  expect(await redeem(code, 'cleo-2')).toBe('INVALID_INPUT')
  await story.reconfigure(storyConfig())
})

describe('an identity that is a user already', () => {
  beforeAll(async () => {
    await age('link_guesses')
  })

  test('becomes another only when that is said: then all of the one is the other’s', async () => {
    const ada = story.as('ada')
    const [emil, emma] = [await add('emil'), await add('emma')]
    await ada.run(LinkIdentityDocument, { input: { user: 'emil', connector: 'discord', identity: 'Emil#1' } })
    await emil.session('@emil:notes').send('Remember me')
    const code = await codeOf(emma)
    const refused = await say('discord:emils', `/link ${code}`, { user: 'Emil#1' })
    expect(refused).toMatchObject({ __typename: 'ConflictRefusal', reason: 'SAME_EXISTS' })
    expect(JSON.stringify(refused)).toContain('You are known here as \\"emil\\".')
    expect(await known('Emil#1', story, 'discord')).toBe('emil')
    const merged = await say('discord:emils', `/link ${code} merge`, { user: 'Emil#1' })
    expect(merged).toMatchObject({ linkedTo: { name: 'emma' } })
    expect(await known('Emil#1', story, 'discord')).toBe('emma')
    expect((await emma.session('@emil:notes').view())?.status).toBeDefined()
    expect(await changes()).toContain('USER_MERGED emil has become emma, by a code of theirs (discord)')
  })

  test('is never given away by a code when it is an administrator’s, or config.toml declares it', async () => {
    await add('root', 'ADMIN')
    const link = { user: 'root', connector: 'discord', identity: 'Root#1' }
    await story.as('ada').run(LinkIdentityDocument, { input: link })
    const code = await codeOf(story.as('cleo'))
    expect(await redeem(code, 'Root#1', { by: 'discord', merge: true })).toBe('NOT_ALLOWED')
    expect(await redeem(code, 'Ben#1', { by: 'discord', merge: true })).toBe('DECLARED')
    // A further identity of a declared user that is stored: the user is declared all the same.
    expect(await redeem(code, 'Benjamin#7', { by: 'discord', merge: true })).toBe('DECLARED')
    expect([await known('Root#1', story, 'discord'), await known('Ben#1', story, 'discord')]).toEqual(['root', 'ben'])
    expect(await redeem(code, 'Cleo#3', { by: 'discord' })).toBe('is cleo')
  })
})

test('a code that is typed in the wrong place is not stored: not by its person, not with what is put on record', async () => {
  const code = await codeOf(story.as('ben'))
  const refused = await say('@ben:here', `/link ${code}`, { by: 'ben' })
  expect(refused).toMatchObject({ __typename: 'InvalidInputRefusal', code: 'INVALID_INPUT' })
  await story.as('ben').session('@ben:here').send(`I typed\n/link ${code}\nthere.`)
  const input = { sessionId: 'discord:record', content: `/link ${code}`, user: 'Ben#1' }
  const { appendMessage } = await story.as('discord').run(AppendMessageDocument, { input })
  expect(appendMessage).toMatchObject({ message: { content: '/link [REDACTED]' } })
  expect(await findInDatabase(story.databaseUrl, [code])).toEqual([])
  expect(await redeem(code, 'Ben#8', { by: 'discord' })).toBe('is ben')
})

test('"/link" of a stranger without a code is answered, and not stored; that of a user is for the agent', async () => {
  const session = { sessionId: 'discord:tries', user: 'Lost#1' }
  for (const content of ['/link', '/link help', '/link ABCDE-FGHJK', '@bot /link@bot ABCDE FGHJK']) {
    expect(await say(session.sessionId, content, session)).toMatchObject({
      __typename: 'InvalidInputRefusal',
      problem: expect.stringContaining('has no code behind "/link"'),
    })
  }
  expect(await story.as('ada').session(session.sessionId).view()).toBeNull()
  expect(await say(session.sessionId, 'I saw /link in the manual', session)).toMatchObject({ message: { turn: null } })
  expect(await say(session.sessionId, '/link help', { user: 'Ben#1' })).toMatchObject({ message: { turn: {} } })
})
