/**
 * What a plan says that follows from an answer for a fact that its question is about, as it is decided: by the rules
 * that hold for what the curator says (curate.ts), and by two more, since the planner has worded the answer itself.
 * Names and numbers must stand in what the person wrote, in the question or in the fact; and that the fact holds is
 * believed of an answer that says no more than the fact. What a rule holds back waits to be judged, as every answer.
 */
import type { KnownFact } from '../agents/agent.ts'
import type { Config } from '../config/config.ts'
import type { AnswerOutcome } from '../core/plan/plan.ts'
import type { Curation } from '../core/turn-write.ts'
import type { Database } from '../store/database.ts'
import { curate, NOTHING } from './curate.ts'
import { compareWithKnown } from './learnings/compare-with-known.ts'
import type { EnteredText } from './learnings/enter-learning.ts'
import { germanNouns } from './learnings/german-noun-words.ts'
import { modeOf } from './learnings/mode-of.ts'
import { missingIn } from './learnings/named-substance.ts'
import { otherSubstance } from './learnings/other-substance.ts'
import { replaceableFact } from './replaceable-fact.ts'

export interface JudgedAnswer {
  readonly outcome: AnswerOutcome
  /** The fact of the outcome, as the planner was shown it. */
  readonly fact: KnownFact
  readonly question: string
  /** In the planner's words, and in those of the person, with all else that was written. */
  readonly answer: string
  readonly written: string
  readonly userName: string
  /** What is learned from the answer. */
  readonly learning: EnteredText & { readonly id: string }
  readonly changeId: string
  readonly at: Date
}

const REASON = 'It follows from the answer, as the planner read it.'

/** Null: the answer waits to be judged. */
export async function judgeAnswer(database: Database, config: Config, judged: JudgedAnswer): Promise<Curation | null> {
  const { entry } = judged.learning
  if (entry.status !== 'PENDING' || entry.held) return null
  return judged.outcome.verdict === 'KEEP' ? keep(database, judged) : replace(database, config, judged)
}

/** Nothing is done to the fact. */
async function keep(database: Database, judged: JudgedAnswer): Promise<Curation | null> {
  const { fact, answer, learning, changeId, at } = judged
  if (otherSubstance(fact.content, answer) !== null) return null
  if ((await replaceableFact(database, fact)) === null) return null
  const kept = { status: 'DISCARDED', repeatsFactId: fact.id, reason: `The fact ${fact.id} holds. ${REASON}` } as const
  return { ...NOTHING, ...kept, by: 'planner', learningId: learning.id, changeId, at }
}

async function replace(database: Database, config: Config, judged: JudgedAnswer): Promise<Curation | null> {
  const { outcome, fact, question, written, userName, learning, changeId, at } = judged
  const { text } = outcome
  if (text === null) return null
  const said = `${question} ${fact.content} ${written}`
  if (missingIn(said, text, germanNouns(text)) !== null) return null
  const { scope, scopeOf } = learning.entry
  const of = { scope, scopeOf }
  const evaluation = {
    learningId: learning.id,
    verdict: 'REPLACE',
    fact: text,
    factId: fact.id,
    reason: REASON,
  } as const
  const [decided] = await curate({
    evaluations: [evaluation],
    questions: [],
    compare: (norm) => compareWithKnown(database, { norm, turnId: '', scope: of, among: 'facts' }),
    scope: of,
    modeOf: () => modeOf(config, 'ANSWER', userName),
    contentOf: () => learning.content,
    factOf: () => replaceableFact(database, fact),
    at,
  })
  return decided?.status === 'PROMOTED' ? { ...decided, by: 'planner', changeId } : null
}
