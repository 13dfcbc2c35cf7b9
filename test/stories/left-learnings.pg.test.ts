/** What a turn has learned and its end has not judged is judged soon, without another message. */
import { expect, test } from 'vitest'
import { createLogger } from '../../src/platform/logger.ts'
import { Database } from '../../src/store/database.ts'
import * as api from '../generated/graphql.ts'
import { converse } from '../harness/story.ts'
import { useStubStory } from '../harness/use-stub-story.ts'
import { answerWell, GOOD_REVIEW } from '../model/good-answers.ts'
import type { StubAnswer, StubCall } from '../model/stub-endpoint.ts'

const world = useStubStory()

const WAIT = { interval: 100 }

async function learningOf(sessionId: string) {
  const { learnings } = await world.story.as('ada').run(api.LearningScopesDocument, { filter: { sessionId } })
  return learnings.edges.map(({ node }) => [node.status, node.scope])
}

/** The curator is asked once by the turn, which learns `text`, and gives no answer. */
function learnInTurn(text: string, first: (call: StubCall) => StubAnswer): void {
  let asked = 0
  const by = (call: StubCall): StubAnswer => {
    if (call.role === 'reviewer') return { content: { ...GOOD_REVIEW, learn: text } }
    return call.role === 'curator' && ++asked === 1 ? first(call) : answerWell(call)
  }
  world.stub.follow({ by })
}

/** As time does, after which no message comes. */
async function jobsAreDue(): Promise<void> {
  const logger = createLogger({ level: 'silent', pretty: false })
  const database = new Database({ url: world.story.databaseUrl, maxConnections: 1, logger })
  const text = 'UPDATE curation_jobs SET ready_at = now() RETURNING session_id'
  expect(await database.query({ name: '', text }, [])).toHaveLength(1)
  await database.close()
}

test('what a turn learned is judged by a job when the curator failed at its end', async () => {
  learnInTurn('The crane lifts nine tons.', () => ({ status: 401, body: { error: { message: 'no such key' } } }))
  await converse(world.story.as('ada'), 'cli:fails', 'What does the crane lift?')
  expect(await learningOf('cli:fails')).toEqual([['PENDING', 'GLOBAL']])
  await jobsAreDue()
  await expect.poll(() => learningOf('cli:fails'), WAIT).toEqual([['PROMOTED', 'GLOBAL']])
})

test('what a turn learned is judged by a job when the turn was cancelled', async () => {
  const ada = world.story.as('ada')
  const asked = Promise.withResolvers<void>()
  learnInTurn('The ferry takes nine cars.', () => () => asked.resolve())
  const ended = converse(ada, 'cli:cancelled', 'What does the ferry take?')
  await asked.promise
  await ada.run(api.CancelTurnDocument, { sessionId: 'cli:cancelled' })
  await ended
  expect(await learningOf('cli:cancelled')).toEqual([['PENDING', 'GLOBAL']])
  await jobsAreDue()
  await expect.poll(() => learningOf('cli:cancelled'), WAIT).toEqual([['PROMOTED', 'GLOBAL']])
})
