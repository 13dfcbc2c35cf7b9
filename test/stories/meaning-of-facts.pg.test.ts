/**
 * Facts that are found by what they mean, where [models] embedder is set: they are embedded by themselves, within their
 * scopes, and a provider of embeddings that is away, slow or picky costs no turn its answer.
 */
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { must } from '../../src/platform/must.ts'
import * as api from '../generated/graphql.ts'
import { EmbeddingsEndpoint } from '../harness/embeddings-endpoint.ts'
import { PATIENCE } from '../harness/patience.ts'
import { select } from '../harness/plugins.ts'
import { converse, Story, storyConfig, type Person } from '../harness/story.ts'
import { stubProvider } from '../harness/stub-provider.ts'
import { answerWell, GOOD_INTROSPECTION, GOOD_REVIEW } from '../model/good-answers.ts'
import { StubEndpoint, type StubCall } from '../model/stub-endpoint.ts'

let stub: StubEndpoint
let meanings: EmbeddingsEndpoint
let story: Story
const log: string[] = []
const configured = (embedder: string): string => `${stubProvider(stub)}${embedder}
[providers.meanings]
base_url = "${meanings.baseUrl}"
headers = { "x-of" = "the story" }
[prices."meanings:words-1"]
input = 1_000_000
output = 0`
const EMBEDDER = 'embedder = "meanings:words-1"'

beforeAll(async () => {
  stub = await StubEndpoint.start({ by: answerWell })
  meanings = await EmbeddingsEndpoint.start()
  story = await Story.begin({ config: { toml: configured('') }, log: (line) => log.push(line) })
})
afterAll(async () => {
  await story[Symbol.asyncDispose]()
  await stub.close()
  await meanings.close()
})

async function state(content: string, scope?: api.FactScopeInput): Promise<string> {
  const { createFact } = await story.as('ada').run(api.StateFactDocument, { input: { content, scope } })
  if (createFact.__typename !== 'CreateFactPayload') throw new Error(JSON.stringify(createFact))
  return createFact.fact.id
}

const embedded = (): Promise<Record<string, unknown>[]> =>
  select(story, 'SELECT fact_id, model, scope FROM fact_embeddings ORDER BY fact_id')
/** Until these facts, and no others, have a vector. */
async function untilEmbedded(...ids: readonly string[]): Promise<void> {
  const found = async (): Promise<unknown[]> => (await embedded()).map((row) => row['fact_id'])
  await vi.waitFor(async () => expect(await found()).toEqual(ids.toSorted()), PATIENCE)
}

/** What the planner is shown. */
async function shownFor(question: string, person: Person = 'ada', sessionId = `cli:${person}`): Promise<string> {
  stub.calls.length = 0
  await converse(story.as(person), sessionId, question)
  return must(
    stub.calls.find(({ role }) => role === 'planner'),
    'a planner',
  ).user
}

/**
 * Until the planner is shown this fact: where the machine is so busy that a question has no vector in time, all
 * questions do without one for a while.
 */
async function untilShown(
  content: string,
  ...[question, person, sessionId]: Parameters<typeof shownFor>
): Promise<void> {
  const shown = (): Promise<string> => shownFor(question, person, sessionId)
  await vi.waitFor(async () => expect(await shown()).toContain(content), { ...PATIENCE, interval: 1000 })
}

/** A fact beside the one that is there. */
const ALSO_WRITTEN = `INSERT INTO facts SELECT (jsonb_populate_record(f,
  '{"id": "fact_written", "number": 1000, "content": "It was being written.", "norm": "it was being written"}')).* FROM facts f`

const complaints = (): string[] => log.filter((line) => line.includes('the embedder gave no answer'))

const DISK = 'The disk of the image cache holds 412 GB.'
/** Not a word of it stands in the fact. */
const ABOUT_THE_DISK = 'Wie viel fasst die Platte vom Bildzwischenspeicher?'
const OTHERS = [
  'The message queue restarts at 4:15.',
  'Backups of the search index are kept for 17 days.',
  'Karla owns the login page.',
  'The mail sender is written in Kotlin.',
  'The import job is hosted in Oslo.',
  'Requests to the admin console time out after 40 seconds.',
  'The mobile app costs 310 euros a month.',
  'Mina reviews changes to the payment gateway.',
]
const ids: string[] = []

test('without an embedder nothing is asked, kept or due', async () => {
  for (const content of [DISK, ...OTHERS]) ids.push(await state(content))
  expect(await shownFor(ABOUT_THE_DISK)).not.toContain(DISK)
  expect(meanings.calls).toEqual([])
  expect(await embedded()).toEqual([])
  expect(await select(story, 'SELECT * FROM embedding_jobs')).toEqual([])
})

test('when one is set, what there was is embedded, in few calls; then a question in other words finds its fact', async () => {
  await story.reconfigure(storyConfig({ toml: configured(EMBEDDER) }))
  await untilEmbedded(...ids)
  expect(meanings.calls).toHaveLength(1)
  expect(meanings.calls[0]).toMatchObject({ model: 'words-1', headers: { 'x-of': 'the story' } })
  await untilShown(DISK, ABOUT_THE_DISK)
  expect(await shownFor('And who sings best?')).not.toContain(OTHERS[2])
})

test('a fact that is being written while one is set is embedded soon, too', async () => {
  await using place = await Story.begin({ config: { toml: configured('') } })
  await place.as('ada').run(api.StateFactDocument, { input: { content: 'It was there.' } })
  const writing = new Client({ connectionString: place.databaseUrl })
  await writing.connect()
  await writing.query('BEGIN')
  await writing.query(ALSO_WRITTEN)
  await place.reconfigure(storyConfig({ toml: configured(EMBEDDER) }))
  const embeddedThere = async () => (await select(place, 'SELECT fact_id FROM fact_embeddings')).length
  await expect.poll(embeddedThere, PATIENCE).toBe(1)
  await writing.query('COMMIT')
  await writing.end()
  await expect.poll(embeddedThere, PATIENCE).toBe(2)
})

test('the curator is shown what a learning is near to by its meaning, in a turn and after a checkpoint', async () => {
  let [nth, inTurn, atCheckpoint] = [0, '', '']
  const shown: string[] = []
  stub.follow({
    by: (call: StubCall) => {
      if (call.role === 'reviewer') return { content: { ...GOOD_REVIEW, learn: inTurn } }
      if (call.role === 'introspector') return { content: { ...GOOD_INTROSPECTION, learnings: [atCheckpoint] } }
      if (call.role !== 'curator') return answerWell(call)
      shown.push(call.user)
      const evaluation = { learningId: 'L1', verdict: 'discard', fact: null, question: null, reason: 'It is vague.' }
      return { content: { evaluations: [evaluation] } }
    },
  })
  const learn = async (): Promise<void> => {
    nth += 1
    shown.length = 0
    inTurn = `Die Platte vom Bildzwischenspeicher fasst viel: ${nth}.`
    atCheckpoint = `Vom Bildzwischenspeicher fasst die Platte wenig: ${nth}.`
    await converse(story.as('ada'), `cli:learns-${nth}`, 'Say hi.')
    await story.as('ada').run(api.CheckpointSessionDocument, { sessionId: `cli:learns-${nth}` })
    await vi.waitFor(() => expect(shown).toHaveLength(2), PATIENCE)
    for (const [at, learned] of [inTurn, atCheckpoint].entries()) {
      expect(shown[at]).toContain(`L1: ${learned}`)
      expect(shown[at]).toContain(DISK)
      expect(shown[at]).toMatch(/Nearest to L1: .*F\d/)
    }
  }
  // Again where a learning had no vector in time.
  await vi.waitFor(learn, { ...PATIENCE, interval: 1000 })
  stub.follow({ by: answerWell })
})

test('what it costs is counted: of a turn with its session and user, of facts as the server’s own', async () => {
  const { modelCalls } = await story.as('ada').run(api.ModelCallsDocument, { filter: { role: ['embedder'] } })
  const calls = must(modelCalls, 'an admin sees them').edges.map(({ node }) => node)
  expect(calls).toContainEqual(expect.objectContaining({ sessionId: 'cli:ada', role: 'embedder', outcome: 'OK' }))
  expect(calls).toContainEqual(expect.objectContaining({ sessionId: null, outcome: 'OK', texts: null }))
  const actors = await select(
    story,
    `SELECT DISTINCT actor, (data->>'cost')::float8 > 0 AS costs FROM audit_entries WHERE data->>'role' = 'embedder' ORDER BY 1`,
  )
  expect(actors).toEqual([
    { actor: 'ada', costs: true },
    { actor: 'embedder', costs: true },
  ])
})

test('a fact means something to those alone whom it reaches, also when that changes', async () => {
  const content = 'The certificate of the reporting dashboard is renewed at 3:30.'
  const question = 'Wann wird das Zertifikat der Berichtsübersicht erneuert?'
  const id = await state(content, { scope: 'USER', of: 'ben' })
  await untilEmbedded(...ids, id)
  await untilShown(content, question, 'ben', '@ben:desk')
  expect(await shownFor(question, 'cleo', '@cleo:desk')).not.toContain(content)
  expect(await shownFor(question)).not.toContain(content)
  await story.as('ada').run(api.SetFactScopesDocument, { ids: [id], scope: { scope: 'USER', of: 'cleo' } })
  expect(await shownFor(question, 'ben', '@ben:desk')).not.toContain(content)
  await untilShown(content, question, 'cleo', '@cleo:desk')
  await story.as('ada').run(api.InvalidateFactDocument, { id, reason: 'enough' })
  await untilEmbedded(...ids)
})

test('a fact that says something else means something else', async () => {
  const content = 'Alarms about the warehouse database page Yusuf.'
  const id = must(ids[1], 'the second fact')
  const { editFact } = await story.as('ada').run(api.EditFactDocument, { id, content, version: 1 })
  expect(editFact.__typename).toBe('EditFactPayload')
  await untilEmbedded(...ids)
  await untilShown(content, 'Wen weckt ein Alarm der Lagerdatenbank?')
})

test('a provider that fails, or says nothing, costs no turn its answer; it is said once, and mended by itself', async () => {
  log.length = 0
  meanings.failWith = () => 500
  const shown = await shownFor('How much does the disk of the image cache hold?')
  expect(shown).toContain(DISK)
  await shownFor('And the disk of the image cache?')
  expect(complaints()).toHaveLength(1)
  // Facts wait for it, and are embedded when it is back.
  const late = await state('The suite for the billing service checks 77 scenarios.')
  await vi.waitFor(
    () => expect(meanings.calls.at(-1)?.input).toContain('The suite for the billing service checks 77 scenarios.'),
    PATIENCE,
  )
  meanings.failWith = () => null
  ids.push(late)
  await untilEmbedded(...ids)

  meanings.failWith = () => 'silence'
  await vi.waitFor(
    async () => {
      meanings.calls.length = 0
      expect(await shownFor('How much does the disk of the image cache hold?')).toContain(DISK)
      expect(meanings.calls).toHaveLength(1)
    },
    { ...PATIENCE, interval: 1000 },
  )
  meanings.failWith = () => null
})

test('a text that the model refuses keeps none of the others from being embedded', async () => {
  const refused = 'The picture buffer is a swearword.'
  meanings.failWith = ({ input }) => (input.includes(refused) ? 400 : null)
  const made: string[] = []
  await select(story, 'UPDATE embedding_jobs SET ready_at = now()')
  for (const content of [refused, 'The lookup catalogue is in use.', 'The phone client is in use.'])
    made.push(await state(content))
  await untilEmbedded(...ids, ...made.slice(1))
  const due = `SELECT fact_id, ready_at > now() + interval '23 hours' AS later FROM embedding_jobs`
  await vi.waitFor(async () => expect(await select(story, due)).toEqual([{ fact_id: made[0], later: true }]), PATIENCE)
  meanings.failWith = () => null
  ids.push(...made.slice(1))
})

test('another model means other vectors; without one nothing is due any more', async () => {
  await story.reconfigure(storyConfig({ toml: configured('embedder = "meanings:words-2"') }))
  await vi.waitFor(async () => {
    const models = await select(story, 'SELECT model, count(*)::int FROM fact_embeddings GROUP BY 1 ORDER BY 1')
    expect(models).toEqual([
      { model: 'meanings:words-1', count: ids.length },
      { model: 'meanings:words-2', count: ids.length + 1 },
    ])
  }, PATIENCE)
  await story.reconfigure(storyConfig({ toml: configured('') }))
  const isOn = (): Promise<unknown[]> => select(story, 'SELECT * FROM embedding_state')
  await vi.waitFor(async () => expect(await isOn()).toEqual([]), PATIENCE)
  meanings.calls.length = 0
  await state('The event broker is in use.')
  expect(await shownFor(ABOUT_THE_DISK, 'ada', 'cli:last')).not.toContain(DISK)
  expect(await select(story, 'SELECT * FROM embedding_jobs')).toEqual([])
  expect(meanings.calls).toEqual([])
})
