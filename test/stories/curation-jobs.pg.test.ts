/** What a checkpoint learned is judged by a job right after it, by another process when the one that began dies. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLogger } from '../../src/platform/logger.ts'
import { Database } from '../../src/store/database.ts'
import * as api from '../generated/graphql.ts'
import { converse, Story } from '../harness/story.ts'
import { stubProvider } from '../harness/stub-provider.ts'
import { answerWell, GOOD_INTROSPECTION } from '../model/good-answers.ts'
import { StubEndpoint, type StubAnswer, type StubCall } from '../model/stub-endpoint.ts'

let stub: StubEndpoint
let story: Story
beforeAll(async () => {
  stub = await StubEndpoint.start({ by: answerWell })
  story = await Story.begin({ config: { toml: stubProvider(stub) } })
})
afterAll(async () => {
  await story[Symbol.asyncDispose]()
  await stub.close()
})

/** A checkpoint that learns `text`; the curator's first answer is `first`. */
async function learnAtCheckpoint(sessionId: string, text: string, first: StubAnswer): Promise<void> {
  let asked = 0
  const by = (call: StubCall): StubAnswer => {
    if (call.role === 'introspector') return { content: { ...GOOD_INTROSPECTION, learnings: [text] } }
    return call.role === 'curator' && ++asked === 1 ? first : answerWell(call)
  }
  stub.follow({ by })
  const ada = story.as('ada')
  await converse(ada, sessionId, 'Hello.')
  await ada.run(api.CheckpointSessionDocument, { sessionId })
  await expect.poll(() => asked, WAIT).toBe(1)
}

const WAIT = { interval: 100 }

async function learningOf(sessionId: string) {
  const { learnings } = await story.as('ada').run(api.LearningScopesDocument, { filter: { sessionId } })
  return learnings.edges.map(({ node }) => [node.status, node.scope])
}

test('when its process dies another one does it', async () => {
  // Never answered; and the process counts as dead.
  await learnAtCheckpoint('cli:dies', 'The dock has nine gates.', () => {})
  expect(await learningOf('cli:dies')).toEqual([['PENDING', 'GLOBAL']])
  await using second = await Story.begin({ beside: story })
  const logger = createLogger({ level: 'silent', pretty: false })
  const database = new Database({ url: second.databaseUrl, maxConnections: 1, logger })
  const jobs = (text: string) => database.query({ name: '', text }, [])
  await jobs("UPDATE curation_jobs SET leased_until = now() - interval '1 second'")
  await expect.poll(() => learningOf('cli:dies'), WAIT).toEqual([['PROMOTED', 'GLOBAL']])
  await expect.poll(() => jobs('SELECT session_id FROM curation_jobs'), WAIT).toEqual([])
  await database.close()
})
