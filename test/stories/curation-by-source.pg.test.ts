/** Who decides is set by where something was learned, too: in a conversation, at a checkpoint, from an answer. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createLogger } from '../../src/platform/logger.ts'
import { must } from '../../src/platform/must.ts'
import { Database } from '../../src/store/database.ts'
import * as api from '../generated/graphql.ts'
import { converse, Story, storyConfig } from '../harness/story.ts'
import { stubProvider } from '../harness/stub-provider.ts'
import { answerWell, GOOD_INTROSPECTION, GOOD_PLAN, GOOD_REVIEW } from '../model/good-answers.ts'
import { StubEndpoint, type StubAnswer, type StubCall } from '../model/stub-endpoint.ts'

const HELD = ['chat', 'checkpoint', 'answer'].map((source) => `[curation.${source}]\nadmin = "hold"\n`)
// What users answer is judged at once here, and reaches them alone.
const CURATION = `[curation]\nadmin = "auto"\n${HELD.join('')}user = "auto"\n`

let stub: StubEndpoint
let story: Story
beforeAll(async () => {
  stub = await StubEndpoint.start({ by: answerWell })
  story = await Story.begin({ config: { toml: `${stubProvider(stub)}\n${CURATION}` } })
})
afterAll(async () => {
  await story[Symbol.asyncDispose]()
  await stub.close()
})

beforeEach(() => stub.follow({ by: answerWell }))

const QUESTION = 'Who keeps the bell of the quay?'

/** Learns `text` where it can: of a review, at a checkpoint, from an answer. */
function learning(text: string): (call: StubCall) => StubAnswer {
  return (call) => {
    switch (call.role) {
      case 'reviewer':
        return { content: { ...GOOD_REVIEW, learn: text } }
      case 'introspector':
        return { content: { ...GOOD_INTROSPECTION, learnings: [text] } }
      case 'planner': {
        const label = /^(Q\d+): Who keeps the bell/m.exec(call.user)?.[1]
        const answers = label === undefined ? null : [{ question: label, answer: text }]
        return { content: { ...GOOD_PLAN, tasks: GOOD_PLAN.tasks.slice(answers === null ? 0 : 1), answers } }
      }
      default:
        return answerWell(call)
    }
  }
}

async function learned(sessionId: string) {
  const { learnings } = await story.as('ada').run(api.LearningsDocument, { filter: { sessionId } })
  return learnings.edges.map(({ node: { source, status, flags } }) => ({ source, status, flags }))
}

const held = (source: string) => ({ source, status: 'PENDING', flags: ['TEACHER'] })

test('what reviews learn is left to the curator here', async () => {
  stub.follow({ by: learning('The pump of the quay is red.') })
  await converse(story.as('ada'), 'cli:review', 'What is there?')
  expect(await learned('cli:review')).toEqual([{ source: 'REVIEW', status: 'PROMOTED', flags: [] }])
})

test('what is learned in a conversation waits for a person', async () => {
  // The rehearsal model calls the tool that remembers.
  await using _rehearsal = await story.reconfigureForNow(storyConfig({ toml: CURATION }))
  const ada = story.as('ada')
  await ada.run(api.OpenSessionDocument, { input: { id: 'cli:chat', mode: 'CHAT' } })
  await converse(ada, 'cli:chat', 'learn: The hoist of the quay is green.')
  expect(await learned('cli:chat')).toEqual([held('CHAT')])
})

test('so does what is learned at a checkpoint', async () => {
  const ada = story.as('ada')
  await converse(ada, 'cli:checkpoint', 'Hello.')
  stub.follow({ by: learning('The gate of the quay is blue.') })
  const before = await learned('cli:checkpoint')
  await ada.run(api.CheckpointSessionDocument, { sessionId: 'cli:checkpoint' })
  await expect.poll(() => learned('cli:checkpoint'), { interval: 100 }).toEqual([held('CHECKPOINT'), ...before])
})

test('the inbox is narrowed by where it was learned and by whom it would be shown', async () => {
  const ada = story.as('ada')
  const contents = async (filter: api.LearningFilter) => {
    const { learnings } = await ada.run(api.LearningsDocument, { filter })
    return learnings.edges.map(({ node }) => node.content)
  }
  stub.follow({ by: learning('The buoy of the quay is white.') })
  await converse(ada, 'cli:unscoped', 'What is there?')
  stub.follow({ by: learning('The gate of the quay is blue.') })
  await ada.run(api.CheckpointSessionDocument, { sessionId: 'cli:unscoped' })
  const byCheckpoint = () => contents({ sessionId: 'cli:unscoped', source: ['CHECKPOINT'] })
  await expect.poll(byCheckpoint).toEqual(['The gate of the quay is blue.'])
  await ada.run(api.OpenSessionDocument, { input: { id: 'cli:scoped', metadata: { project: 'quay' } } })
  const text = 'The winch of the quay is grey.'
  stub.follow({ by: learning(text) })
  await converse(ada, 'cli:scoped', 'What is there?')
  expect(await contents({ scope: ['PROJECT'] })).toEqual([text])
  const others = await contents({ scope: ['GLOBAL', 'SESSION', 'USER'] })
  expect(others).toContain('The buoy of the quay is white.')
  expect(others).not.toContain(text)
})

test('and what is learned from an answer', async () => {
  const ada = story.as('ada')
  await ada.run(api.CreateQuestionDocument, { content: QUESTION })
  stub.follow({ by: learning('Ingrid keeps it.') })
  await converse(ada, 'cli:answer', 'Ingrid does.')
  expect(await learned('cli:answer')).toEqual([held('ANSWER')])
})

/** A session of `user` with an open question whether this fact, which everybody is shown, still holds. */
async function askAbout(user: 'ada' | 'ben', name: string) {
  const ada = story.as('ada')
  const [fact, other] = [`The ${name} of the quay is in Riga.`, `The ${name} of the quay is in Turku.`]
  const sessionId = user === 'ada' ? `cli:${name}` : `@ben:${name}`
  stub.follow({ by: learning(fact) })
  await converse(ada, `cli:${name}-taught`, 'What is there?')
  stub.follow({ by: answerWell })
  await converse(story.as(user), sessionId, 'Hello.')
  const { facts } = await ada.run(api.FactsDocument, {})
  const factId = must(facts.edges.find(({ node }) => node.content === fact)?.node.id, fact)
  const database = new Database({ url: story.databaseUrl, maxConnections: 1, logger: createLogger(SILENT) })
  await database.query(ASK, [`q_${name}`, `Is the ${name} of the quay in Riga or in Turku?`, sessionId, factId])
  await database.close()
  return { sessionId, factId, other }
}

const SILENT = { level: 'silent', pretty: false } as const
const ASK = {
  name: '',
  text: `INSERT INTO questions (id, content, norm, session_id, source, fact_ids, created_at)
    VALUES ($1, $2, $1, $3, 'CURATOR', ARRAY[$4], now())`,
}

/** A planner that believes all: by the message the fact does not hold, and `text` does. */
function believing(text: string, seen: string[]): (call: StubCall) => StubAnswer {
  return (call) => {
    if (call.role !== 'planner') return answerWell(call)
    const [, question] = /^(Q\d+): Is the/m.exec(call.user) ?? []
    const [about, fact] = /^(F\d+) of Q\d+: .*$/m.exec(call.user) ?? []
    seen.push(about ?? 'no fact')
    const outcome = fact === undefined ? {} : { outcome: { verdict: 'replace', fact, text } }
    const answers = [{ question, answer: text, ...outcome }]
    return { content: { ...GOOD_PLAN, tasks: GOOD_PLAN.tasks.slice(1), answers } }
  }
}

async function factOf(id: string) {
  const { node } = await story.as('ada').run(api.FactOverTimeDocument, { id })
  return node as Extract<typeof node, { content: string }>
}

test('an answer that waits for a person changes no fact, whatever its plan says; an admin decides it', async () => {
  const ada = story.as('ada')
  const { sessionId, factId, other } = await askAbout('ada', 'mast')
  const seen: string[] = []
  stub.follow({ by: believing(other, seen) })
  await converse(ada, sessionId, other)
  expect(seen).toEqual(['no fact'])
  expect(await factOf(factId)).toMatchObject({ invalidatedAt: null, version: 1 })
  const { learnings } = await ada.run(api.LearningsDocument, { filter: { sessionId, held: true } })
  const id = must(learnings.edges[0]?.node.id, 'what was answered')
  await ada.run(api.DecideLearningsDocument, { decisions: [{ id, verdict: 'PROMOTE', factId, text: other }] })
  expect(await factOf(factId)).toMatchObject({ replacedBy: { content: other } })
})

test('what a USER answers never changes what everybody is shown', async () => {
  const { sessionId, factId, other } = await askAbout('ben', 'boom')
  const seen: string[] = []
  stub.follow({ by: believing(other, seen) })
  await converse(story.as('ben'), sessionId, other)
  expect(seen).toEqual([expect.stringMatching(/^F\d+ of Q1: The boom of the quay is in Riga\.$/)])
  expect(await factOf(factId)).toMatchObject({ invalidatedAt: null, version: 1 })
  const { learnings } = await story.as('ada').run(api.LearningsDocument, { filter: { sessionId, source: ['ANSWER'] } })
  expect(learnings.edges[0]?.node.decidedBy).not.toMatchObject({ name: 'planner' })
})
