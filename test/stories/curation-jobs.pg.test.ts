/** What a checkpoint learned is judged by a job right after it, by another process when the one that began dies. */
import { expect, test } from 'vitest'
import { createLogger } from '../../src/platform/logger.ts'
import { Database } from '../../src/store/database.ts'
import * as api from '../generated/graphql.ts'
import { converse, Story } from '../harness/story.ts'
import { useStubStory } from '../harness/use-stub-story.ts'
import { answerWell, GOOD_INTROSPECTION } from '../model/good-answers.ts'
import type { StubAnswer, StubCall } from '../model/stub-endpoint.ts'

const world = useStubStory()

/** A checkpoint that learns `text`; the curator's first answer is `first`. */
async function learnAtCheckpoint(sessionId: string, text: string, first: StubAnswer): Promise<void> {
  let asked = 0
  const by = (call: StubCall): StubAnswer => {
    if (call.role === 'introspector') return { content: { ...GOOD_INTROSPECTION, learnings: [text] } }
    return call.role === 'curator' && ++asked === 1 ? first : answerWell(call)
  }
  world.stub.follow({ by })
  const ada = world.story.as('ada')
  await converse(ada, sessionId, 'Hello.')
  await ada.run(api.CheckpointSessionDocument, { sessionId })
  await expect.poll(() => asked, WAIT).toBe(1)
}

const WAIT = { interval: 100 }

async function learningOf(sessionId: string) {
  const { learnings } = await world.story.as('ada').run(api.LearningScopesDocument, { filter: { sessionId } })
  return learnings.edges.map(({ node }) => [node.status, node.scope])
}

const LEASE = `SELECT leased_until < now() + interval '15 seconds' AS "isShort",
  leased_until > now() + interval '5 seconds' AS "isKept" FROM curation_jobs`

test('its claim is short and is kept while the curator is asked; when its process dies another one does it', async () => {
  // Never answered.
  await learnAtCheckpoint('cli:dies', 'The dock has nine gates.', () => {})
  expect(await learningOf('cli:dies')).toEqual([['PENDING', 'GLOBAL']])
  await using second = await Story.begin({ beside: world.story })
  const logger = createLogger({ level: 'silent', pretty: false })
  const database = new Database({ url: second.databaseUrl, maxConnections: 1, logger })
  const jobs = (text: string) => database.query({ name: '', text }, [])
  await jobs("UPDATE curation_jobs SET leased_until = now() + interval '4 seconds'")
  await expect.poll(() => jobs(LEASE), WAIT).toEqual([{ isShort: true, isKept: true }])
  await jobs("UPDATE curation_jobs SET run_id = 'of a dead process', leased_until = now() - interval '1 second'")
  await expect.poll(() => learningOf('cli:dies'), WAIT).toEqual([['PROMOTED', 'GLOBAL']])
  await expect.poll(() => jobs('SELECT session_id FROM curation_jobs'), WAIT).toEqual([])
  await database.close()
})
