/**
 * A question that more than one learning waits for, or that an admin has: what is decided about one learning leaves it
 * open for the others, and no learning waits for an answer that has been given.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLogger } from '../../src/platform/logger.ts'
import { must } from '../../src/platform/must.ts'
import { NOTHING } from '../../src/knowledge/curate.ts'
import { Database } from '../../src/store/database.ts'
import { storeCuration } from '../../src/store/knowledge/store-curations.ts'
import * as api from '../generated/graphql.ts'
import { converse, Story } from '../harness/story.ts'
import { stubProvider } from '../harness/stub-provider.ts'
import { answerWell, GOOD_REVIEW } from '../model/good-answers.ts'
import { answerWhole, StubEndpoint, type StubAnswer, type StubCall } from '../model/stub-endpoint.ts'

let stub: StubEndpoint
let story: Story
let database: Database
beforeAll(async () => {
  stub = await StubEndpoint.start({ by: answerWell })
  story = await Story.begin({ config: { toml: stubProvider(stub) } })
  const logger = createLogger({ level: 'silent', pretty: false })
  database = new Database({ url: story.databaseUrl, maxConnections: 2, logger })
})
afterAll(async () => {
  await database.close()
  await story[Symbol.asyncDispose]()
  await stub.close()
})

/** A turn that learns `text`, of which the curator asks; returns the learning. `meanwhile`: during that call. */
async function ask(
  sessionId: string,
  [text, question]: readonly [text: string, question: string],
  meanwhile?: () => Promise<unknown>,
) {
  const answerOf = ({ user }: StubCall) => {
    const learned = [...user.matchAll(/^(L\d+): /gm)].map(([, learningId]) => learningId)
    const asks = { verdict: 'ask', question, fact: null, known: null, reason: 'It is not clear.' }
    return { content: { evaluations: learned.map((learningId) => ({ learningId, ...asks })) } }
  }
  let calls = 0
  const curate = (call: StubCall): StubAnswer => {
    if (meanwhile === undefined) return answerOf(call)
    // What is judged anew is not decided while the test reads it.
    if (++calls > 1) return () => {}
    return (response) => void meanwhile().then(() => answerWhole(answerOf(call), response))
  }
  stub.follow({
    by: (call) => {
      if (call.role === 'reviewer') return { content: { ...GOOD_REVIEW, learn: text } }
      return call.role === 'curator' ? curate(call) : answerWell(call)
    },
  })
  expect((await converse(story.as('ada'), sessionId, 'What is there to know?')).status).toBe('DONE')
  return must((await learningsOf(sessionId))[0], 'a learning')
}

async function learningsOf(sessionId: string) {
  const { learnings } = await story.as('ada').run(api.LearningsDocument, { filter: { sessionId } })
  return learnings.edges.map(({ node }) => node)
}

async function questionsOf(sessionId: string) {
  const { questions } = await story.as('ada').run(api.QuestionsDocument, { filter: { sessionId } })
  return questions.edges.map(({ node }) => node)
}

test('a question of all sessions is answered by those to whom it was put, and by no others', async () => {
  const [ada, ben, cleo] = [story.as('ada'), story.as('ben'), story.as('cleo')]
  const content = 'Who has the key of the Elbe depot?'
  const { createQuestion } = await ada.run(api.CreateQuestionDocument, { content })
  const id = createQuestion.__typename === 'CreateQuestionPayload' ? must(createQuestion.question, 'it').id : ''
  const early = await ben.run(api.ResolveQuestionDocument, { id, answer: 'Ben has.' })
  expect(early.resolveQuestion).toMatchObject({ __typename: 'NotFoundRefusal' })
  stub.follow({ by: answerWell })
  await converse(ben, '@ben:key', 'Hello.')
  const { session } = await ben.run(api.QuestionsOfSessionDocument, { id: '@ben:key' })
  expect(session?.questions).toMatchObject([{ content, status: 'OPEN', viewerCan: { resolve: true } }])
  const other = await cleo.run(api.ResolveQuestionDocument, { id, answer: 'Ben has.' })
  expect(other.resolveQuestion).toMatchObject({ __typename: 'NotFoundRefusal' })
  await converse(cleo, '@cleo:keys', 'Hello.')
  const verdict = await ben.run(api.ResolveQuestionDocument, { id, outcome: 'NEITHER' })
  expect(verdict.resolveQuestion).toMatchObject({ __typename: 'ConflictRefusal', reason: 'NOT_ALLOWED' })
  const closed = await ben.run(api.ResolveQuestionDocument, { id, answer: 'Ben has.' })
  expect(closed.resolveQuestion).toMatchObject({ question: { status: 'RESOLVED', answer: 'Ben has.' } })
  // Ben has said it in a session of his own.
  const kept = await cleo.run(api.QuestionsOfSessionDocument, { id: '@cleo:keys' })
  expect(kept.session?.questions).toMatchObject([{ content, status: 'RESOLVED', answer: null, resolvedBy: null }])
  const own = await ben.run(api.QuestionsOfSessionDocument, { id: '@ben:key' })
  expect(own.session?.questions).toMatchObject([{ answer: 'Ben has.', resolvedBy: { name: 'ben' } }])
  // What a USER answers waits for a person, as what they teach.
  const { learnings } = await ada.run(api.LearningsDocument, { filter: { source: ['ANSWER'], user: 'ben' } })
  expect(learnings.edges).toMatchObject([{ node: { content: `${content} Ben has.`, held: true, flags: ['TEACHER'] } }])
})

test('in a conversation a question of all sessions is put to its people as well, who answer it', async () => {
  const [ada, ben] = [story.as('ada'), story.as('ben')]
  const { createQuestion } = await ada.run(api.CreateQuestionDocument, { content: 'Who has the map of the Elbe?' })
  const id = createQuestion.__typename === 'CreateQuestionPayload' ? must(createQuestion.question, 'it').id : ''
  await ben.run(api.OpenSessionDocument, { input: { id: '@ben:chat', mode: 'CHAT' } })
  stub.follow({ by: answerWell })
  expect((await converse(ben, '@ben:chat', 'Hello.')).status).toBe('DONE')
  const { session } = await ben.run(api.QuestionsOfSessionDocument, { id: '@ben:chat' })
  expect(session?.questions).toMatchObject([{ id, status: 'OPEN', viewerCan: { resolve: true } }])
  const closed = await ben.run(api.ResolveQuestionDocument, { id, answer: 'Ben has.' })
  expect(closed.resolveQuestion).toMatchObject({ question: { status: 'RESOLVED', answer: 'Ben has.' } })
})

test('a question of two learnings stays open when one is decided, and its answer settles the other', async () => {
  const ada = story.as('ada')
  const question = 'Where is the tower of Alster?'
  const first = await ask('cli:tower', ['The tower of Alster is in Riga.', question])
  const second = await ask('cli:tower', ['The tower of Alster is in Turku.', question])
  expect([first.status, second.status]).toEqual(['ASKED', 'ASKED'])
  const [asked] = await questionsOf('cli:tower')
  expect(await questionsOf('cli:tower')).toHaveLength(1)
  await ada.run(api.PromoteLearningDocument, { id: first.id })
  expect(await questionsOf('cli:tower')).toMatchObject([{ status: 'OPEN' }])
  await ada.run(api.ResolveQuestionDocument, { id: must(asked, 'the question').id, answer: 'In Riga.' })
  expect(await learningsOf('cli:tower')).toMatchObject([
    { source: 'ANSWER' },
    { id: second.id, status: 'ANSWERED' },
    { id: first.id, status: 'PROMOTED' },
  ])

  // The last one to be decided closes it.
  const [one, two] = [
    await ask('cli:spire', ['The spire of Alster is in Riga.', 'Where is the spire of Alster?']),
    await ask('cli:spire', ['The spire of Alster is in Turku.', 'Where is the spire of Alster?']),
  ]
  await ada.run(api.DiscardLearningDocument, { id: one.id })
  expect(await questionsOf('cli:spire')).toMatchObject([{ status: 'OPEN' }])
  await ada.run(api.DecideLearningsDocument, { decisions: [{ id: two.id, verdict: 'REOPEN' }] })
  expect(await questionsOf('cli:spire')).toMatchObject([{ status: 'RESOLVED' }])
})

test('of several learnings one holds by the answer; the others wait for a person, and the question knows what it was', async () => {
  const ada = story.as('ada')
  const question = 'Where is the mole of Alster?'
  const first = await ask('cli:mole', ['The mole of Alster is in Riga.', question])
  const second = await ask('cli:mole', ['The mole of Alster has two lamps.', question])
  const id = must((await questionsOf('cli:mole'))[0], 'the question').id
  const { resolveQuestion } = await ada.run(api.ResolveQuestionDocument, { id, outcome: 'LEARNING' })
  expect(resolveQuestion).toMatchObject({ question: { status: 'RESOLVED' } })
  expect(await learningsOf('cli:mole')).toMatchObject([
    { id: second.id, status: 'PENDING', held: true, decidedBy: null },
    { id: first.id, status: 'PROMOTED' },
  ])
  const about = await ada.run(api.QuestionFactsDocument, { id })
  expect(about.node).toMatchObject({ learning: { id: first.id } })
})

test('an admin’s question that a learning has joined stays open when that is discarded', async () => {
  const ada = story.as('ada')
  const content = 'Where is the wharf of Alster?'
  await ada.run(api.CreateQuestionDocument, { content })
  const learning = await ask('cli:wharf', ['The wharf of Alster is in Riga.', content])
  expect(learning.status).toBe('ASKED')
  expect(await questionsOf('cli:wharf')).toEqual([])
  await ada.run(api.DiscardLearningDocument, { id: learning.id })
  const { questions } = await ada.run(api.QuestionsDocument, { filter: { status: ['OPEN'] } })
  expect(questions.edges.map(({ node }) => node.content)).toContain(content)
})

test('a question about no fact and no learning makes none', async () => {
  const ada = story.as('ada')
  const { createQuestion } = await ada.run(api.CreateQuestionDocument, { content: 'Where is the lido of Alster?' })
  const id = createQuestion.__typename === 'CreateQuestionPayload' ? must(createQuestion.question, 'it').id : ''
  const settled = { id, outcome: 'NEITHER', text: 'The lido of Alster is in Riga.' } as const
  const refused = await ada.run(api.ResolveQuestionDocument, settled)
  expect(refused.resolveQuestion).toMatchObject({ __typename: 'ConflictRefusal', reason: 'NOTHING_TO_DO' })
})

test('what an admin asks about a learning is closed with it', async () => {
  const ada = story.as('ada')
  const { id } = await ask('cli:basin', ['The basin of Alster is in Riga.', 'Where is the basin of Alster?'])
  const asking = { id, verdict: 'ASK', text: 'Is the basin of Alster still in Riga?' } as const
  await ada.run(api.DecideLearningsDocument, { decisions: [asking] })
  expect((await questionsOf('cli:basin')).map(({ status }) => status).toSorted()).toEqual(['OPEN', 'RESOLVED'])
  await ada.run(api.DecideLearningsDocument, { decisions: [{ id, verdict: 'REOPEN' }] })
  expect((await questionsOf('cli:basin')).map(({ status }) => status)).toEqual(['RESOLVED', 'RESOLVED'])
})

test('a question that is answered during the curator’s call takes no learning; that is judged anew', async () => {
  const ada = story.as('ada')
  const content = 'Where is the canal of Alster?'
  const { createQuestion } = await ada.run(api.CreateQuestionDocument, { content })
  const id = createQuestion.__typename === 'CreateQuestionPayload' ? must(createQuestion.question, 'it').id : ''
  const learned = 'The canal of Alster is in Riga.'
  const answer = () => ada.run(api.ResolveQuestionDocument, { id, outcome: 'FACTS' })
  const learning = await ask('cli:canal', [learned, content], answer)
  expect(learning).toMatchObject({ status: 'PENDING', held: false })
  const jobs = { name: '', text: 'SELECT ready_at <= now() AS due FROM curation_jobs WHERE session_id = $1' }
  expect(await database.query(jobs, ['cli:canal'])).toEqual([{ due: true }])

  // As a job of the session stores it.
  const decided = { ...NOTHING, learningId: learning.id, changeId: 'chg_1', at: new Date(), reason: null } as const
  const stored = await storeCuration(database, 'cli:canal', { ...decided, status: 'ASKED', questionId: id })
  expect(stored).toEqual({ changedIds: [] })
  expect(await learningsOf('cli:canal')).toMatchObject([{ id: learning.id, status: 'PENDING' }])
})

test('a learning that joins a question while that is being resolved is judged anew', async () => {
  const ada = story.as('ada')
  const learning = await ask('cli:quay', ['The quay of Alster is in Riga.', 'Where is the quay of Alster?'])
  const { createQuestion } = await ada.run(api.CreateQuestionDocument, { content: 'Where are the quays of Alster?' })
  const id = createQuestion.__typename === 'CreateQuestionPayload' ? must(createQuestion.question, 'it').id : ''
  // What is judged anew is not decided while the test reads it.
  stub.follow({ by: (call) => (call.role === 'curator' ? () => {} : answerWell(call)) })
  // As a curator's commit joins it.
  const resolved = await database.transaction(async (joining) => {
    await joining.query({ name: '', text: 'SELECT id FROM questions WHERE id = $1 FOR SHARE' }, [id])
    const resolving = ada.run(api.ResolveQuestionDocument, { id, outcome: 'FACTS' })
    await expect.poll(() => database.query({ name: '', text: WAITING }, []), { interval: 10 }).toHaveLength(1)
    await joining.query({ name: '', text: 'UPDATE learnings SET question_id = $1 WHERE id = $2' }, [id, learning.id])
    return { resolving }
  })
  expect((await resolved.resolving).resolveQuestion).toMatchObject({ question: { status: 'RESOLVED' } })
  expect(await learningsOf('cli:quay')).toMatchObject([
    { id: learning.id, status: 'PENDING', held: false, decidedBy: null, reason: null },
  ])
  expect(await database.query({ name: '', text: 'SELECT session_id FROM curation_jobs' }, [])).toContainEqual({
    session_id: 'cli:quay',
  })
})

const WAITING = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
