/**
 * From the curator's verdicts to what is written. A fact that says the same as a live one is refused, a question that
 * is open already is that question, and what the curator alone may not decide waits for a person. Called by
 * curateLearnings.
 */
import type { CuratorContext, Evaluation } from '../agents/agent.ts'
import type { CurationMode } from '../config/schema/curation.ts'
import { isSameScope, type Scope } from '../core/knowledge/fact-scope.ts'
import { normalText } from '../core/text/normal-text.ts'
import type { Curation } from '../core/turn-write.ts'
import { newId } from '../platform/id.ts'
import type { Comparison } from './learnings/compare-with-known.ts'
import { findSuspicions } from './suspicions/find-suspicions.ts'
import { whyHeld, whyRejected } from './learnings/enter-learning.ts'
import type { ReplaceableFact } from './replaceable-fact.ts'
import { lostDetail } from './learnings/lost-detail.ts'
import { otherSubstance, withoutQuestion } from './learnings/other-substance.ts'
import { unfitText } from './unfit-text.ts'

export interface CurationInput {
  readonly evaluations: readonly Evaluation[]
  /** Those that are open. */
  readonly questions: CuratorContext['questions']
  /** What is known of a normal text, among facts. */
  readonly compare: (norm: string) => Promise<Pick<Comparison, 'same' | 'rejected'>>
  /** Of the learnings. */
  readonly scope: Scope
  /** What the configuration says of a learning. */
  readonly modeOf: (learningId: string) => CurationMode
  /** What was learned. */
  readonly contentOf: (learningId: string) => string | undefined
  /** A fact that the curator was shown; null: it is out of use, or says something else by now. */
  readonly factOf: (factId: string) => Promise<ReplaceableFact | null>
  readonly at: Date
}

type Decision = Omit<Curation, 'learningId' | 'changeId' | 'at' | 'reason'> & { readonly reason?: string }

/** What stays as it is, since what it was judged by has changed, is not in it. */
export async function curate({ evaluations, questions, at, ...rules }: CurationInput): Promise<Curation[]> {
  const asked = new Map(questions.map(({ id, content }) => [normalText(content), id]))
  const promoting: Promoting = { ...rules, promoted: new Map(), replaced: new Set() }
  const made: Curation[] = []
  for (const evaluation of evaluations) {
    const { learningId, reason } = evaluation
    const decided = await decide(evaluation, { asked, promoting })
    if (decided !== null) made.push({ reason, ...decided, learningId, changeId: newId('change'), at })
  }
  return made
}

/** The curator's whole answer cannot be used: each learning has been tried once more. */
export function triedInVain(learnings: CuratorContext['learnings'], at: Date): Curation[] {
  const reason = "The curator's answer cannot be used."
  return learnings.map(({ id: learningId }) => {
    const retry = { ...NOTHING, status: 'PENDING', flags: ['UNUSABLE'], isRetry: true, reason } as const
    return { ...retry, learningId, changeId: newId('change'), at }
  })
}

interface SoFar {
  readonly asked: Map<string, string>
  readonly promoting: Promoting
}

async function decide(evaluation: Evaluation, { asked, promoting }: SoFar): Promise<Decision | null> {
  const { learningId, verdict } = evaluation
  switch (verdict) {
    case 'DISCARD':
      return DISCARDED
    case 'UNUSABLE':
      return { ...unusable(evaluation.reason), isRetry: true }
    case 'ASK':
      return ask({ content: evaluation.question, factIds: [] }, asked)
    case 'CONTRADICTS':
      return ask({ content: evaluation.question, factIds: [evaluation.factId] }, asked)
    case 'PROMOTE':
      return promote({ learningId, text: evaluation.fact }, promoting)
    case 'REPLACE':
      return replace({ learningId, text: evaluation.fact, factId: evaluation.factId }, promoting)
  }
}

/** What most curations have nothing of. */
export const NOTHING = {
  by: 'curator',
  isRetry: false,
  flags: [],
  repeatsFactId: null,
  repeatsLearningId: null,
  questionId: null,
  replaces: null,
  fact: null,
  question: null,
} as const
const DISCARDED: Decision = { ...NOTHING, status: 'DISCARDED' }

/** `asked`: ids of questions by their normal texts; a new one is added. */
function ask(
  { content, factIds }: { readonly content: string; readonly factIds: readonly string[] },
  asked: Map<string, string>,
): Decision {
  const unfit = unfitText(content)
  if (unfit !== null) return unusable(unfit)
  const norm = normalText(content)
  const open = asked.get(norm)
  if (open !== undefined) return { ...NOTHING, status: 'ASKED', questionId: open }
  const id = newId('question')
  asked.set(norm, id)
  return { ...NOTHING, status: 'ASKED', question: { id, content, norm, factIds } }
}

interface Promoting extends Pick<CurationInput, 'compare' | 'scope' | 'modeOf' | 'factOf' | 'contentOf'> {
  /** Ids of learnings by the normal texts that were made of them; a new one is added. */
  readonly promoted: Map<string, string>
  /** Facts in whose place one comes; a new one is added. */
  readonly replaced: Set<string>
}

interface Text {
  readonly learningId: string
  readonly text: string
  /** What the fact says in whose place it comes. */
  readonly replaced?: string
}

/**
 * The curator alone may only replace what no person has made or pinned, for no others than are shown the new one, and
 * each fact once.
 */
async function replace({ factId, ...said }: Text & { readonly factId: string }, promoting: Promoting) {
  const known = await promoting.factOf(factId)
  if (known === null) return null
  const decided = await promote({ ...said, replaced: known.content }, promoting)
  if (decided.status !== 'PROMOTED') return decided
  const replaces = { factId, version: known.version }
  const isFirst = !promoting.replaced.has(factId)
  promoting.replaced.add(factId)
  const isTheirs = isSameScope(known, promoting.scope)
  const { by, pinned } = known
  if (by === null && !pinned && isTheirs && isFirst) return { ...decided, replaces }
  const others = isTheirs ? 'which another one replaces' : 'which others are shown as well'
  const whose = pinned ? 'which is pinned' : by === null ? others : `which ${by} made`
  const reason = `It would replace the fact ${factId}, ${whose}: ${said.text}`
  return { ...NOTHING, status: 'PENDING', flags: ['REPLACES'], replaces, reason } as const
}

async function promote(
  { learningId, text: content, replaced }: Text,
  { promoted, compare, modeOf, contentOf }: Promoting,
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
  // What it was made into is checked as what was learned was.
  const flags = modeOf(learningId) === 'auto' ? [] : findSuspicions(content)
  if (flags.length > 0) return { ...NOTHING, status: 'PENDING', flags, reason: whyHeld(flags) }
  const learned = contentOf(learningId) ?? content
  const other = otherSubstance(learned, content) ?? lostDetail(withoutQuestion(learned), content, replaced)
  if (other !== null) return unusable(other)
  promoted.set(norm, learningId)
  return { ...NOTHING, status: 'PROMOTED', fact: { id: newId('fact'), content, norm } }
}

/** What was learned is not lost by what the curator made of it. */
function unusable(reason: string): Decision {
  return { ...NOTHING, status: 'PENDING', flags: ['UNUSABLE'], reason: `The curator's text is not kept: ${reason}.` }
}
