/**
 * `decideLearnings`: an admin decides about many learnings, as by the mutations for one. Each item is a transaction of
 * its own with a result of its own, in the order of the input: what is refused keeps nothing else from being decided.
 */
import type { Viewer } from '../../../core/identity.ts'
import { invalidInput, type Refusal } from '../../../core/refusal.ts'
import type { LearningDecided } from '../../../store/knowledge/knowledge-learning.ts'
import { askLearning } from './ask-learning.ts'
import { discardLearning } from './discard-learning.ts'
import type { KnowledgeContext } from '../knowledge-context.ts'
import { promoteLearning } from './promote-learning.ts'
import type { ScopeInput } from '../facts/scope-input.ts'
import { reopenLearning } from './reopen-learning.ts'

export const MAX_DECISIONS = 200

export type LearningVerdict = 'PROMOTE' | 'ASK' | 'DISCARD' | 'REOPEN'

export interface LearningDecision {
  readonly id: string
  readonly verdict: LearningVerdict
  /** PROMOTE: what the fact says. ASK: what is asked. DISCARD: why. */
  readonly text?: string | null | undefined
  /** PROMOTE: the fact in whose place it comes. */
  readonly factId?: string | null | undefined
  /** PROMOTE: the fact that it would replace stays in use. */
  readonly keepBoth?: boolean | null | undefined
  /** PROMOTE: whom the fact is shown. */
  readonly scope?: ScopeInput | null | undefined
}

export interface LearningsDecided {
  readonly kind: 'LearningsDecided'
  readonly results: readonly { readonly id: string; readonly result: LearningDecided | Refusal }[]
}

/** InvalidInput, and nothing is decided, for no learnings, too many of them, or one twice. */
export async function decideLearnings(
  context: KnowledgeContext,
  viewer: Viewer,
  decisions: readonly LearningDecision[],
): Promise<LearningsDecided | Refusal> {
  const ids = new Set(decisions.map(({ id }) => id))
  if (decisions.length === 0 || decisions.length > MAX_DECISIONS)
    return invalidInput(['decisions'], `must be 1 to ${MAX_DECISIONS}, not ${decisions.length}`)
  if (ids.size < decisions.length) return invalidInput(['decisions'], 'must name each learning once')
  const results: LearningsDecided['results'][number][] = []
  for (const decision of decisions)
    results.push({ id: decision.id, result: await decideOne(context, viewer, decision) })
  return { kind: 'LearningsDecided', results }
}

function decideOne(
  context: KnowledgeContext,
  viewer: Viewer,
  { id, verdict, text, factId, keepBoth, scope }: LearningDecision,
): Promise<LearningDecided | Refusal> {
  switch (verdict) {
    case 'PROMOTE':
      return promoteLearning(context, viewer, { id, content: text, replacesFactId: factId, keepBoth, scope })
    case 'ASK':
      return text == null
        ? Promise.resolve(invalidInput(['text'], 'must be what to ask'))
        : askLearning(context, viewer, { id, question: text })
    case 'DISCARD':
      return discardLearning(context, viewer, { id, reason: text })
    case 'REOPEN':
      return reopenLearning(context, viewer, { id })
  }
}
