import { must } from '../../src/platform/must.ts'
import * as api from '../generated/graphql.ts'
import { learnAsJudged } from './learn-as-judged.ts'
import type { StubStory } from './use-stub-story.ts'

/** A fact, and an open question whether the learning that contradicts it holds; `name`: of what they are about. */
export async function askWhichHolds(world: StubStory, name: string) {
  const [fact, contrary] = [`The ${name} of Elbe is in Riga.`, `The ${name} of Elbe is in Turku.`]
  const sessionId = `cli:${name}`
  await learnAsJudged(world, { sessionId, text: fact })
  const question = `Is the ${name} of Elbe in Riga or in Turku?`
  const verdict = () => ({ verdict: 'contradicts', known: fact, question })
  const learning = await learnAsJudged(world, { sessionId, text: contrary, verdict })
  const filter = { sessionId, status: ['OPEN' as const] }
  const { questions } = await world.story.as('ada').run(api.QuestionsDocument, { filter })
  return { fact, contrary, learning, sessionId, question, id: must(questions.edges[0]?.node.id, 'a question') }
}
