/** A session is forked: a copy up to some event, of which its opener alone is part, goes its own way. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { must } from '../../src/platform/must.ts'
import * as api from '../generated/graphql.ts'
import { converse, send, Story, turnEnd, watchAll, type Person } from '../harness/story.ts'
import { stubProvider } from '../harness/stub-provider.ts'
import { answerWell } from '../model/good-answers.ts'
import { StubEndpoint } from '../model/stub-endpoint.ts'

let stub: StubEndpoint
let story: Story
beforeAll(async () => {
  stub = await StubEndpoint.start({ by: answerWell })
  story = await Story.begin({
    config: { toml: `${stubProvider(stub)}\n[quotas.users.cleo]\nsessions = 1\n` },
  })
})
afterAll(async () => {
  await story[Symbol.asyncDispose]()
  await stub.close()
})
beforeEach(() => {
  stub.calls.length = 0
})

async function fork(input: api.ForkSessionInput, person: Person = 'ada') {
  return (await story.as(person).run(api.ForkSessionDocument, { input })).forkSession
}
async function forked(input: api.ForkSessionInput, person: Person = 'ada') {
  const outcome = await fork(input, person)
  if (outcome.__typename !== 'ForkSessionPayload') throw new Error(`refused: ${JSON.stringify(outcome)}`)
  return outcome.session
}
const seen = async (id: string) => must((await story.as('ada').run(api.CopiedDocument, { id })).session, id)
const nodes = <Node>({ edges }: { readonly edges: readonly { readonly node: Node }[] }): Node[] =>
  edges.map(({ node }) => node)
const said = ({ conversation }: { readonly conversation: api.CopiedFragment['conversation'] }): string[] =>
  nodes(conversation).map((entry) => ('content' in entry ? entry.content : ''))

test('it has what was said up to an event, with ids of its own, and knows nothing of what came after', async () => {
  const [ada, source] = [story.as('ada'), 'cli:origin']
  await ada.run(api.OpenSessionDocument, {
    input: { id: source, description: 'Origin', participants: ['ben'], metadata: { chat: 1 } },
  })
  const texts = ['The first number is 17.', 'The second number is 23.', 'The third number is 42.']
  for (const text of texts) await converse(ada, source, text)
  const before = await seen(source)
  const entries = nodes(before.conversation)
  expect(entries).toHaveLength(6)
  const answer = must(entries[3], 'the second answer')

  const copy = await forked({ sessionId: source, upTo: answer.seq }, 'ben')
  expect(copy.id).toMatch(/^@ben:/)
  expect(copy).toMatchObject({
    openedBy: { __typename: 'User', name: 'ben' },
    description: 'Origin',
    status: 'IDLE',
    forkedSeq: answer.seq,
    forkedFrom: { id: source },
    participants: [{ name: 'ben' }],
    messageCount: 2,
    turnCount: 2,
    usage: { calls: 0 },
  })
  expect(said(copy)).toEqual(said(before).slice(0, 4))
  const withoutIds = (turn: api.CopiedFragment['turns']) => nodes(turn).map(({ id: _id, ...rest }) => rest)
  expect(withoutIds(copy.turns)).toEqual(withoutIds(before.turns).slice(0, 2))
  const ids = [before, copy].map(({ messages, turns }) => [...nodes(messages), ...nodes(turns)].map(({ id }) => id))
  expect(ids[0]?.filter((id) => ids[1]?.includes(id))).toEqual([])
  const { session } = await story.as('ben').run(api.SessionDocument, { id: copy.id })
  expect(session?.metadata).toEqual({})

  // Its log has no gap, ends with its opening, and is followed as any other.
  await using watch = watchAll(story.as('ben'), copy.id)
  await watch.until(({ sessionEvents }) => sessionEvents.seq === copy.lastSeq)
  expect(watch.received.map(({ sessionEvents: { seq } }) => seq)).toEqual(
    Array.from({ length: copy.lastSeq }, (_, n) => n + 1),
  )
  stub.calls.length = 0
  await converse(story.as('ben'), copy.id, 'What were the numbers?')
  const { user: prompt } = must(
    stub.calls.find(({ role }) => role === 'planner'),
    'a plan',
  )
  for (const text of texts.slice(0, 2)) expect(prompt).toContain(text)
  expect(prompt).not.toContain('The third number')
  expect(await seen(source)).toEqual(before)

  // Ben leaves: what he has is his, and does not lead back.
  await ada.run(api.RemoveParticipantDocument, { sessionId: source, user: 'ben' })
  const later = await story.as('ben').run(api.CopiedDocument, { id: copy.id })
  expect(later.session).toMatchObject({ messageCount: 3 })
  expect(await fork({ sessionId: source }, 'ben')).toMatchObject({ __typename: 'NotFoundRefusal', missingId: source })
})

test('asked for again under its id it is the same; other ids are refused, and so is what cannot be cut there', async () => {
  const source = 'cli:again'
  await converse(story.as('ada'), source, 'Hello')
  const { lastSeq } = await seen(source)
  const id = '@ada:again'
  const outcomes = await Promise.all([1, 2, 3].map(() => fork({ sessionId: source, newSessionId: id })))
  expect(outcomes.filter((one) => 'created' in one)).toHaveLength(3)
  expect(outcomes.filter((one) => 'created' in one && one.created)).toHaveLength(1)
  await converse(story.as('ada'), source, 'And on')
  expect(await fork({ sessionId: source, newSessionId: id })).toMatchObject({
    created: false,
    session: { messageCount: 1 },
  })
  expect(await fork({ sessionId: source, newSessionId: id, upTo: 1 })).toMatchObject({ reason: 'NAME_TAKEN' })
  expect(await fork({ sessionId: source, newSessionId: source })).toMatchObject({ reason: 'NAME_TAKEN' })
  expect(await fork({ sessionId: source, newSessionId: '@ben:x' })).toMatchObject({ __typename: 'InvalidInputRefusal' })
  expect(await fork({ sessionId: source, upTo: lastSeq + 1000 })).toMatchObject({
    problem: expect.stringContaining('must be from 0 to'),
  })
  expect(await fork({ sessionId: 'cli:nowhere' })).toMatchObject({ __typename: 'NotFoundRefusal' })
  const { audit } = await story.as('ada').run(api.AuditDocument, { filter: { sessionId: id } })
  expect(audit?.edges.map(({ node }) => node)).toMatchObject([
    { sessionChange: 'FORKED', actor: { name: 'ada' }, sessionDetail: `from "${source}", up to event ${lastSeq}` },
  ])

  // Nothing of it, its message alone, and the copy of a copy.
  expect(await forked({ sessionId: source, upTo: 0 })).toMatchObject({
    messageCount: 0,
    lastSeq: 1,
    lastMessagePreview: null,
  })
  const alone = await forked({ sessionId: source, upTo: 1 })
  expect(alone).toMatchObject({ messageCount: 1, turnCount: 0, lastMessagePreview: 'Hello' })
  expect(nodes(alone.messages)).toMatchObject([{ content: 'Hello', status: 'STORED' }])
  const twice = await forked({ sessionId: id })
  expect(said(twice)).toEqual(said(await seen(id)))
  await story.as('ada').run(api.DeleteSessionDocument, { id })
  const asked = `query ($id: ID!) { session(id: $id) { forkedSeq forkedFrom { id } } }`
  const { forkedSeq } = twice
  expect(await story.as('ada').run(asked, { id: twice.id })).toEqual({ session: { forkedSeq, forkedFrom: null } })
})

test('a turn is copied with all that it said, or not at all', async () => {
  const task = { type: 'msg', expect: null, skill: null, args: null }
  const tasks = ['One', 'Two'].map((detail) => ({ ...task, detail }))
  const content = { goal: 'Twice', secrets: null, tasks, answers: null }
  stub.follow({ by: (call) => (call.role === 'planner' ? { content } : answerWell(call)) })
  await converse(story.as('ada'), 'cli:twice', 'Say it twice')
  stub.follow({ by: answerWell })
  const [, first, second] = nodes((await seen('cli:twice')).conversation)
  expect(await fork({ sessionId: 'cli:twice', upTo: must(first, 'a text').seq })).toMatchObject({
    __typename: 'InvalidInputRefusal',
    problem: expect.stringContaining(`give ${second?.seq} to have it whole, or 0 to leave it out`),
  })
  expect(said(await forked({ sessionId: 'cli:twice', upTo: must(second, 'a text').seq }))).toHaveLength(3)
})

test('while a turn runs what came before it can be forked; and no more sessions than the quota allows', async () => {
  const [ada, cleo] = [story.as('ada'), story.as('cleo')]
  await converse(ada, 'cli:busy', 'Before')
  const before = await seen('cli:busy')
  const release = Promise.withResolvers<void>()
  stub.follow({
    by: (call) =>
      call.role === 'planner' ? (response) => void release.promise.then(() => response.destroy()) : answerWell(call),
  })
  await send(ada, 'cli:busy', 'Now')
  await using running = watchAll(ada, 'cli:busy', before.lastSeq)
  await running.until(
    ({ sessionEvents: event }) => event.__typename === 'PipelineStepEvent' && event.step === 'PLANNING',
  )
  const { lastSeq } = await seen('cli:busy')
  expect(await fork({ sessionId: 'cli:busy' })).toMatchObject({ reason: 'BUSY' })
  expect(await fork({ sessionId: 'cli:busy', upTo: lastSeq - 1 })).toMatchObject({ reason: 'BUSY' })
  expect(said(await forked({ sessionId: 'cli:busy', upTo: before.lastSeq }))).toEqual(said(before))
  await ada.run(api.CancelTurnDocument, { sessionId: 'cli:busy' })
  await turnEnd(running)
  release.resolve()
  stub.follow({ by: answerWell })
  await ada.run(api.OpenSessionDocument, { input: { id: 'cli:full', participants: ['cleo'] } })
  await send(cleo, '@cleo:only', 'Hello')
  await using watch = watchAll(cleo, '@cleo:only')
  await turnEnd(watch)
  expect(await fork({ sessionId: 'cli:full' }, 'cleo')).toMatchObject({
    __typename: 'LimitExceededRefusal',
    limit: 1,
    used: 1,
  })
})
