import { expect } from 'vitest'
import { must } from '../../src/platform/must.ts'
import * as api from '../generated/graphql.ts'
import { answerWell, GOOD_REVIEW } from '../model/good-answers.ts'
import type { StubAnswer, StubCall } from '../model/stub-endpoint.ts'
import { converse } from './story.ts'
import type { StubStory } from './use-stub-story.ts'

/** What the curator says of a text. `known`: what the fact says that the verdict is about. */
export type Verdict = (text: string) => {
  readonly verdict: string
  readonly known?: string
  readonly [key: string]: unknown
}

interface Learned {
  readonly sessionId: string
  readonly text: string
  /** It is promoted when left out. */
  readonly verdict?: Verdict | undefined
}

/** A turn of ada learns `text`, and its curator decides as `verdict` says; returns the session's newest learning. */
export async function learnAsJudged({ stub, story }: StubStory, { sessionId, text, verdict = promote }: Learned) {
  const ada = story.as('ada')
  stub.follow({
    by: (call: StubCall): StubAnswer => {
      if (call.role === 'reviewer') return { content: { ...GOOD_REVIEW, learn: text } }
      return call.role === 'curator' ? { content: { evaluations: evaluationsOf(call, verdict) } } : answerWell(call)
    },
  })
  expect((await converse(ada, sessionId, 'What is there to know?')).status).toBe('DONE')
  const { learnings } = await ada.run(api.LearningsDocument, { filter: { sessionId } })
  return must(learnings.edges[0]?.node, 'a learning')
}

const promote: Verdict = (fact) => ({ verdict: 'promote', fact })

function evaluationsOf({ user }: StubCall, verdict: Verdict): object[] {
  const labels = new Map([...user.matchAll(/^(F\d+): (.*)$/gm)].map(([, label, said]) => [said, label]))
  return [...user.matchAll(/^(L\d+): (.*)$/gm)].map(([, learningId, learned = '']) => {
    const { known, ...said } = verdict(learned)
    const label = known === undefined ? null : (labels.get(known) ?? 'F0')
    return { learningId, fact: null, question: null, reason: 'So it is.', ...said, known: label }
  })
}
