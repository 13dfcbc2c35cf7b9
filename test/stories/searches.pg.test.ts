/**
 * A conversation is found by what was said in it, by people and by the agent: in what one may read, and in nothing
 * else.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../src/platform/id.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { Database } from '../../src/store/database.ts'
import * as api from '../generated/graphql.ts'
import { converse, Story, type Person } from '../harness/story.ts'
import { stubProvider } from '../harness/stub-provider.ts'
import { answerWell } from '../model/good-answers.ts'
import { StubEndpoint } from '../model/stub-endpoint.ts'

let stub: StubEndpoint
let story: Story
let beside: Story
let database: Database
let answer = 'Noted.'

beforeAll(async () => {
  stub = await StubEndpoint.start({
    by: (call) => (call.role === 'messenger' ? { pieces: [answer] } : answerWell(call)),
  })
  story = await Story.begin({ config: { toml: stubProvider(stub) } })
  beside = await Story.begin({ beside: story })
  const logger = createLogger({ level: 'silent', pretty: false })
  database = new Database({ url: story.databaseUrl, maxConnections: 1, logger })
})
afterAll(async () => {
  await database?.close()
  await beside?.[Symbol.asyncDispose]()
  await story?.[Symbol.asyncDispose]()
  await stub?.close()
})

type Page = api.SearchMessagesQuery['searchMessages']

async function search(person: Person, variables: api.SearchMessagesQueryVariables, of = story): Promise<Page> {
  return (await of.as(person).run(api.SearchMessagesDocument, variables)).searchMessages
}

/** Where it was found, and what is shown of it, with the hits in brackets. */
function shown({ edges }: Page): string[] {
  return edges.map(({ node: { session, excerpt } }) => {
    const texts = excerpt.map(({ text, isHit }) => (isHit ? `[${text}]` : text))
    return `${session.id}: ${texts.join('')}`
  })
}

const found = async (person: Person, text: string): Promise<string[]> => shown(await search(person, { search: text }))

async function talk(person: Person, id: string, texts: readonly [said: string, answered: string]): Promise<void> {
  answer = texts[1]
  await converse(story.as(person), id, texts[0])
}

describe('what Ben and Cleo said to the agent', () => {
  beforeAll(async () => {
    await talk('ben', '@ben:bills', ['Who pays the invoice of the Café?', 'La société has paid it already.'])
    await talk('cleo', '@cleo:bills', ['My invoice is secret.', 'Your café is safe with me.'])
    await talk('ben', '@ben:later', ['The INVOICE is wrong. 請求書を直して', 'I have mended it.'])
  })

  test('is found by who may read it alone, newest first, in their words and in those of the answers', async () => {
    expect(await found('ben', 'invoice')).toEqual([
      '@ben:later: The [INVOICE] is wrong. 請求書を直して',
      '@ben:bills: Who pays the [invoice] of the Café?',
    ])
    expect(await found('ben', 'societe')).toEqual(['@ben:bills: La [société] has paid it already.'])
    expect(await found('cleo', 'invoice')).toEqual(['@cleo:bills: My [invoice] is secret.'])
    expect(await found('ada', 'cafe')).toEqual([
      '@cleo:bills: Your [café] is safe with me.',
      '@ben:bills: Who pays the invoice of the [Café]?',
    ])
    expect(await found('discord', 'invoice')).toEqual([])
  })

  test.each([
    ['CAFÉ', 1],
    ['invo', 2],
    ['求書', 1],
    ['invoice pays', 1],
    ['"invoice is"', 1],
    ['invoice -wrong', 1],
    ['mended or paid', 2],
    ['100% of_it', 0],
  ])('by %s', async (text, count) => {
    expect(await found('ben', text)).toHaveLength(count)
  })

  test('is shown as the conversation has it: when, by whom, in which session', async () => {
    const page = await search('ben', { search: 'societe', sessionId: '@ben:bills' })
    expect(page).toMatchObject({ pageInfo: { hasNextPage: false }, searchedBackTo: null })
    expect(page.edges[0]?.node).toMatchObject({
      author: { role: 'ASSISTANT' },
      session: { id: '@ben:bills' },
      entry: { __typename: 'AgentText', content: 'La société has paid it already.' },
    })
    expect((await search('ben', { search: 'invoice', sessionId: '@cleo:bills' })).edges).toEqual([])
    expect(shown(await search('ada', { search: 'invoice', sessionId: '@cleo:bills' }))).toHaveLength(1)
  })

  test('is found page by page, also by another process', async () => {
    const first = await search('ada', { search: 'invoice', first: 2 })
    expect(first.pageInfo.hasNextPage).toBe(true)
    const rest = await search('ada', { search: 'invoice', first: 2, after: first.pageInfo.endCursor }, beside)
    expect([...shown(first), ...shown(rest)]).toEqual(await found('ada', 'invoice'))
    expect(rest).toMatchObject({ pageInfo: { hasNextPage: false }, searchedBackTo: null })
  })

  test.each([
    ['nothing', '', 'a word'],
    ['what is not to be there alone', '-invoice', 'a word'],
    ['what is too long', 'x'.repeat(201), 'at most 200 characters'],
  ])('is not searched for %s', async (_what, text, problem) => {
    const { errors } = await story.as('ben').request(api.SearchMessagesDocument, { search: text })
    expect(errors[0]).toMatchObject({
      message: expect.stringContaining(problem),
      extensions: { code: 'BAD_USER_INPUT' },
    })
  })
})

describe('what was said in a group', () => {
  const GROUP = 'discord:search'
  const say = async (person: Person, content: string): Promise<void> => {
    await story.as(person).run(api.SendMessageDocument, { input: { sessionId: GROUP, content } })
  }
  beforeAll(async () => {
    const source = { kind: 'discord', interactive: true, type: 'GROUP' } as const
    await story.as('discord').run(api.OpenSessionDocument, { input: { id: GROUP, source, participants: ['ben'] } })
    await say('ben', 'The picnic is on Sunday.')
    await story.as('ada').run(api.AddParticipantDocument, { sessionId: GROUP, user: 'cleo' })
    await say('cleo', 'I bring cake to the picnic, and the key [REDACTED].')
  })

  test('is found by its members and its connector, and not by who has left', async () => {
    for (const person of ['ben', 'cleo', 'discord', 'ada'] as const)
      expect(await found(person, 'picnic')).toHaveLength(2)
    await story.as('ada').run(api.RemoveParticipantDocument, { sessionId: GROUP, user: 'cleo' })
    expect(await found('cleo', 'picnic')).toEqual([])
  })

  test('is not found once it is erased; neither are the marks of what is gone', async () => {
    await story.as('ada').run(api.EraseUserDocument, { input: { user: 'ben', sessionId: GROUP } })
    expect(await found('ada', 'picnic -invoice')).toEqual([
      `${GROUP}: I bring cake to the [picnic], and the key [REDACTED].`,
    ])
    for (const mark of ['erased', 'redacted', '"[erased]"']) expect(await found('ada', mark)).toEqual([])
    expect(await found('ada', 'key -redacted -erased')).toHaveLength(1)
  })
})

test('more than one request may read is searched by several, of which each says how far back it is', async () => {
  const id = '@cleo:long'
  const texts = 42_000
  await story.as('cleo').run(api.OpenSessionDocument, { input: { id } })
  const run = (text: string, values: readonly unknown[]): Promise<object[]> =>
    database.query({ name: '', text, timeoutMs: 60_000 }, values)
  await run(
    `INSERT INTO messages (id, session_id, seq, role, user_name, content, trusted, status, client, created_at)
      SELECT $2 || lpad(n::text, 16, '0'), $1, n + 100, 'USER', 'cleo', 
        'Nothing to see.' || CASE n WHEN 1 THEN ' But a needle.' ELSE '' END, true, 'STORED', 'cleo', now() FROM generate_series(1, $3::int) n`,
    [id, newId('message').slice(0, 14), texts],
  )
  await run(
    `INSERT INTO events (session_id, seq, at, type, data) SELECT session_id, seq, created_at, 'MessageReceived',
      jsonb_build_object('messageId', id) FROM messages WHERE session_id = $1`,
    [id],
  )
  for (const person of ['cleo', 'ada'] as const) {
    const pages: Page[] = []
    let after: string | null | undefined = null
    do {
      const page: Page = await search(person, { search: 'needle', after }, pages.length === 1 ? beside : story)
      pages.push(page)
      after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null
    } while (after != null)
    expect(pages.length).toBeGreaterThan(1)
    expect(pages[0]).toMatchObject({ edges: [], searchedBackTo: expect.any(String) })
    expect(pages.flatMap(shown)).toEqual([`${id}: Nothing to see. But a [needle].`])
    expect(pages.at(-1)?.searchedBackTo).toBeNull()
  }
  // What others have does not show in what Ben is answered.
  expect(await search('ben', { search: 'needle' })).toMatchObject({ edges: [], searchedBackTo: null })
})
