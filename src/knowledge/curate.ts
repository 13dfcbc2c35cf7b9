/**
 * From the curator's verdicts to what is written. A fact that says the same as a live one is refused, a question that
 * is open already is that question, and what the curator alone may not decide waits for a person. Called by
 * curateLearnings.
 */
import type { CuratorContext, Evaluation } from '../agents/agent.ts'
import type { CurationMode } from '../config/schema/curation.ts'
import { normalText } from '../core/text/normal-text.ts'
import type { Curation } from '../core/turn-write.ts'
import { newId } from '../platform/id.ts'
import type { Known } from './learnings/compare-with-known.ts'
import { findSuspicions } from './learnings/find-suspicions.ts'
import { whyHeld, whyRejected } from './learnings/enter-learning.ts'
import { unfitText } from './unfit-text.ts'

export interface CurationInput {
  readonly evaluations: readonly Evaluation[]
  /** Those that are open. */
  readonly questions: CuratorContext['questions']
  /** What is known of a normal text, among facts. */
  readonly compare: (norm: string) => Promise<Pick<Known, 'same' | 'rejected'>>
  /** What the configuration says of a learning. */
  readonly modeOf: (learningId: string) => CurationMode
  readonly at: Date
}

type Decision = Omit<Curation, 'learningId' | 'at' | 'reason'> & { readonly reason?: string }

export async function curate({ evaluations, questions, compare, modeOf, at }: CurationInput): Promise<Curation[]> {
  const asked = new Map(questions.map(({ id, content }) => [normalText(content), id]))
  const promoted = new Map<string, string>()
  const made: Curation[] = []
  for (const evaluation of evaluations) {
    const { learningId, reason } = evaluation
    const decided =
      evaluation.verdict === 'DISCARD'
        ? DISCARDED
        : evaluation.verdict === 'ASK'
          ? ask(evaluation.question, asked)
          : await promote({ learningId, text: evaluation.fact }, { promoted, compare, modeOf })
    made.push({ reason, ...decided, learningId, at })
  }
  return made
}

/** What most curations have nothing of. */
export const NOTHING = {
  flags: [],
  repeatsFactId: null,
  repeatsLearningId: null,
  questionId: null,
  fact: null,
  question: null,
} as const
const DISCARDED: Decision = { ...NOTHING, status: 'DISCARDED' }

/** `asked`: ids of questions by their normal texts; a new one is added. */
function ask(content: string, asked: Map<string, string>): Decision {
  const unfit = unfitText(content)
  if (unfit !== null) return unusable(unfit)
  const norm = normalText(content)
  const open = asked.get(norm)
  if (open !== undefined) return { ...NOTHING, status: 'ASKED', questionId: open }
  const id = newId('question')
  asked.set(norm, id)
  return { ...NOTHING, status: 'ASKED', question: { id, content, norm } }
}

interface Promoting {
  /** Ids of learnings by the normal texts that were made of them; a new one is added. */
  readonly promoted: Map<string, string>
  readonly compare: CurationInput['compare']
  readonly modeOf: CurationInput['modeOf']
}

async function promote(
  { learningId, text: content }: { readonly learningId: string; readonly text: string },
  { promoted, compare, modeOf }: Promoting,
): Promise<Decision> {
  const unfit = unfitText(content)
  if (unfit !== null) return unusable(unfit)
  const norm = normalText(content)
  const twin = promoted.get(norm)
  if (twin !== undefined)
    return { ...NOTHING, status: 'REFUSED', repeatsLearningId: twin, reason: `It repeats the learning ${twin}.` }
  const { same, rejected } = await compare(norm)
  if (same !== null)
    return { ...NOTHING, status: 'REFUSED', repeatsFactId: same.id, reason: `It repeats the fact ${same.id}.` }
  if (rejected !== null) return { ...NOTHING, status: 'PENDING', flags: ['REJECTED'], reason: whyRejected(rejected) }
  // What it was made into is looked at as what was learned was.
  const flags = modeOf(learningId) === 'auto' ? [] : findSuspicions(content)
  if (flags.length > 0) return { ...NOTHING, status: 'PENDING', flags, reason: whyHeld(flags) }
  promoted.set(norm, learningId)
  return { ...NOTHING, status: 'PROMOTED', fact: { id: newId('fact'), content, norm } }
}

/** What was learned is not lost by what the curator made of it. */
function unusable(reason: string): Decision {
  return { ...NOTHING, status: 'PENDING', flags: ['UNUSABLE'], reason: `The curator's text is not kept: ${reason}.` }
}
