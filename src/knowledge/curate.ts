/**
 * From the curator's verdicts to what is written. A fact that repeats a live one, a question that is open already, and
 * a text that must not be kept become a discarded learning with the reason; the others go through. Called by
 * curateLearnings.
 */
import type { CuratorContext, Evaluation } from '../agents/agent.ts'
import { normalText } from '../core/text/normal-text.ts'
import type { Curation } from '../core/turn-write.ts'
import { newId } from '../platform/id.ts'
import { unfitText } from './unfit-text.ts'

export interface CurationInput {
  readonly evaluations: readonly Evaluation[]
  /** Those that are open. */
  readonly questions: CuratorContext['questions']
  /** The id of the live fact that a text repeats, or null. */
  readonly findFact: (norm: string) => Promise<string | null>
  readonly at: Date
}

export async function curate({ evaluations, questions, findFact, at }: CurationInput): Promise<Curation[]> {
  const said = new Set(questions.map(({ content }) => normalText(content)))
  const made: Curation[] = []
  for (const evaluation of evaluations) {
    const problem = await problemOf(evaluation, said, findFact)
    const decided = problem === null ? accept(evaluation) : { ...DISCARDED, reason: problem }
    made.push({ reason: evaluation.reason, ...decided, learningId: evaluation.learningId, at })
  }
  return made
}

const DISCARDED = { status: 'DISCARDED', fact: null, question: null } as const

/** Why a text of the curator is not kept, or null. What is kept is added to `said`. */
async function problemOf(
  evaluation: Evaluation,
  said: Set<string>,
  findFact: CurationInput['findFact'],
): Promise<string | null> {
  if (evaluation.verdict === 'DISCARD') return null
  const isFact = evaluation.verdict === 'PROMOTE'
  const content = isFact ? evaluation.fact : evaluation.question
  const unfit = unfitText(content)
  if (unfit !== null) return `The curator's text is not kept: ${unfit}.`
  const norm = normalText(content)
  if (said.has(norm)) return isFact ? 'It repeats another learning.' : 'It is asked already.'
  const factId = isFact ? await findFact(norm) : null
  if (factId !== null) return `It repeats the fact ${factId}.`
  said.add(norm)
  return null
}

function accept(evaluation: Evaluation): Pick<Curation, 'status' | 'fact' | 'question'> {
  if (evaluation.verdict === 'DISCARD') return DISCARDED
  if (evaluation.verdict === 'PROMOTE') {
    const content = evaluation.fact
    return { status: 'PROMOTED', fact: { id: newId('fact'), content, norm: normalText(content) }, question: null }
  }
  const content = evaluation.question
  return { status: 'ASKED', fact: null, question: { id: newId('question'), content, norm: normalText(content) } }
}
