/** `promoteLearning`: an admin makes a fact of a pending learning, as it is or in other words. */
import type { Viewer } from '../../../core/identity.ts'
import { notFound, refuseInput, type Refusal } from '../../../core/refusal.ts'
import { storePromotedLearning, type LearningDecided } from '../../../store/knowledge/knowledge-learning.ts'
import { announced, editorOf, type KnowledgeContext } from '../knowledge-context.ts'
import { readScope, type ScopeInput } from '../facts/scope-input.ts'
import { isIdOf, knowledgeText, knowledgeTextIssues } from '../knowledge-text.ts'

export interface PromoteLearningInput {
  readonly id: string
  /** What the fact says; the learning's own words when left out. */
  readonly content?: string | null | undefined
  /** The fact that holds no more; none when left out. */
  readonly replacesFactId?: string | null | undefined
  /** The fact that it would replace holds as well. */
  readonly keepBoth?: boolean | null | undefined
  /** Whom the fact is shown; as the fact that it replaces, or as the learning's teacher, when left out. */
  readonly scope?: ScopeInput | null | undefined
}

/** InvalidInput when it would replace a fact in use, and the input neither names that fact nor keeps both. */
export async function promoteLearning(
  context: KnowledgeContext,
  viewer: Viewer,
  { id, content, replacesFactId: replaces = null, keepBoth, scope: input }: PromoteLearningInput,
): Promise<LearningDecided | Refusal> {
  const refusal = refuseInput(knowledgeTextIssues(['content'], content))
  if (refusal !== null) return refusal
  if (!isIdOf('learning', id)) return notFound('learning', id)
  if (replaces !== null && !isIdOf('fact', replaces)) return notFound('fact', replaces)
  const scope = input == null ? null : await readScope(context, input)
  if (scope !== null && 'kind' in scope) return scope
  const text = content == null ? null : knowledgeText(context, content)
  const promotion = { id, scope, text, replaces, keepBoth: keepBoth === true }
  return announced(context, await storePromotedLearning(context.database, editorOf(context, viewer), promotion))
}
