/**
 * What is learned at the same time becomes one fact; what the curator makes of a learning that cannot be used, or says
 * something else, keeps nothing from being judged and waits for a person in the end.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as api from '../generated/graphql.ts'
import { openBefore } from '../harness/older-database.ts'
import { converse, Story } from '../harness/story.ts'
import { stubProvider } from '../harness/stub-provider.ts'
import { answerWell, GOOD_REVIEW, shownLearnings } from '../model/good-answers.ts'
import { chunk, StubEndpoint, type StubAnswer, type StubCall } from '../model/stub-endpoint.ts'

let stub: StubEndpoint
let story: Story
beforeAll(async () => {
  stub = await StubEndpoint.start({ by: answerWell })
  story = await Story.begin({ config: { toml: stubProvider(stub), settings: { max_running_per_user: 3 } } })
})
afterAll(async () => {
  await story[Symbol.asyncDispose]()
  await stub.close()
})

/** Models whose review learns the text of the message, and whose curator answers so. */
function teachBy(curator: (call: StubCall) => StubAnswer): void {
  const by = (call: StubCall): StubAnswer => {
    if (call.role === 'curator') return curator(call)
    if (call.role !== 'reviewer') return answerWell(call)
    return { content: { ...GOOD_REVIEW, learn: /note: (.*)/.exec(call.user)?.[1] ?? null } }
  }
  stub.follow({ by })
}

const verdict = (learningId: string, fact: string | null) => {
  return { learningId, verdict: 'promote', fact, known: null, question: null, reason: 'So it is.' }
}

async function learningsOf(sessionId: string) {
  const { learnings } = await story.as('ada').run(api.LearningsDocument, { filter: { sessionId } })
  return learnings.edges.map(({ node }) => node)
}

async function factsSaying(search: string): Promise<readonly string[]> {
  const { facts } = await story.as('ada').run(api.FactsDocument, { filter: { search } })
  return facts.edges.map(({ node }) => node.content)
}

const teach = (sessionId: string, text: string) => converse(story.as('ada'), sessionId, `note: ${text}`)

test('three sessions that learn one thing at once make one fact of it', async () => {
  const fact = 'The ferry to the island sails at nine.'
  const waiting: (() => void)[] = []
  let asked = 0
  // All three curators have read what is known before the first of them answers.
  teachBy(({ user }) => (response) => {
    const content = JSON.stringify({ evaluations: shownLearnings(user).map((one) => verdict(one.learningId, fact)) })
    const message = { role: 'assistant', content }
    const usage = { prompt_tokens: 1, completion_tokens: 1 }
    const answer = { ...chunk([{ index: 0, message, finish_reason: 'stop' }], { usage }), object: 'chat.completion' }
    waiting.push(() => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer)))
    asked += 1
    if (asked >= 3) for (const go of waiting.splice(0)) go()
  })
  const ways = [
    'The ferry to the island sails at nine',
    'At nine the ferry to the island sails',
    'The island ferry: nine',
  ]
  await Promise.all(ways.map((text, n) => teach(`cli:twin-${n}`, text)))
  expect(await factsSaying('ferry')).toEqual([fact])
  // The others are judged anew by jobs, and repeat it.
  const statuses = async () =>
    (await Promise.all(ways.map((_, n) => learningsOf(`cli:twin-${n}`)))).flat().map(({ status }) => status)
  const ended = ['PROMOTED', 'REFUSED', 'REFUSED']
  await expect.poll(async () => (await statuses()).toSorted(), { interval: 100 }).toEqual(ended)
})

test('an evaluation that cannot be used keeps none of the others, and is tried three times', async () => {
  const session = 'cli:unusable'
  const broken = 'The lighthouse has a broken lamp.'
  teachBy(({ user }) => {
    const evaluations = shownLearnings(user).map(({ learningId, text }) =>
      verdict(learningId, text === broken ? null : text),
    )
    return { content: { evaluations } }
  })
  await teach(session, broken)
  await teach(session, 'The lighthouse was built of granite.')
  expect(await learningsOf(session)).toMatchObject([
    { status: 'PROMOTED' },
    { status: 'PENDING', held: false, flags: [], content: broken },
  ])
  await teach(session, 'The lighthouse has ninety steps.')
  expect(await learningsOf(session)).toMatchObject([
    { status: 'PROMOTED' },
    { status: 'PROMOTED' },
    { status: 'PENDING', held: true, flags: ['UNUSABLE'], content: broken },
  ])
  const asked = stub.calls.filter(({ role }) => role === 'curator').length
  await converse(story.as('ada'), session, 'Go on.')
  expect(stub.calls.filter(({ role }) => role === 'curator')).toHaveLength(asked)
})

test.each([
  { what: 'another number', text: 'The harbour is 12 metres deep.', fact: 'The harbour is 120 metres deep.' },
  { what: 'no negation', text: 'The crane does not lift trucks.', fact: 'The crane lifts trucks.' },
  {
    what: 'another matter',
    text: 'The pier was painted in spring.',
    fact: 'Bananas grow well where summers stay warm.',
  },
])('a fact with $what than what was learned waits for a person', async ({ text, fact }) => {
  teachBy(({ user }) => ({
    content: { evaluations: shownLearnings(user).map((one) => verdict(one.learningId, fact)) },
  }))
  await teach('cli:substance', text)
  const [held] = await learningsOf('cli:substance')
  expect(held).toMatchObject({ status: 'PENDING', held: true, flags: ['UNUSABLE'], content: text })
  expect(held?.reason).toMatch(/^The curator's text is not kept: /)
})

test('facts that are merged may say what one of them said', async () => {
  const ada = story.as('ada')
  const ids: string[] = []
  for (const content of ['The buoys are red.', 'All buoys are red.']) {
    const { createFact } = await ada.run(api.CreateFactDocument, { content })
    if (createFact.__typename === 'CreateFactPayload') ids.push(createFact.fact.id)
  }
  const { mergeFacts } = await ada.run(api.MergeFactsDocument, { ids, content: 'The buoys are red.' })
  expect(mergeFacts).toMatchObject({ fact: { replaces: [{ id: ids[0] }, { id: ids[1] }] } })
  expect(await factsSaying('buoys')).toEqual(['The buoys are red.'])
})

test('of facts that were twins before, the oldest stays', async () => {
  const migration = '20261125050000_facts_once'
  await using older = await openBefore(migration)
  await older.client.query(`INSERT INTO facts (id, content, norm, source, created_at, updated_at)
    SELECT 'fact_' || n, 'f', CASE WHEN n < 4 THEN 'f' ELSE 'g' END, 'CURATOR', now(), now() FROM generate_series(1, 4) n`)
  expect(await older.migrate()).toContain(migration)
  const { rows } = await older.client.query(
    'SELECT id, replaced_by_id AS by FROM facts WHERE invalidated_at IS NOT NULL ORDER BY id',
  )
  expect(rows).toEqual([
    { id: 'fact_2', by: 'fact_1' },
    { id: 'fact_3', by: 'fact_1' },
  ])
  const history = await older.client.query("SELECT version, change FROM fact_versions WHERE fact_id = 'fact_3'")
  expect(history.rows).toEqual([{ version: 2, change: 'MERGED' }])
})
