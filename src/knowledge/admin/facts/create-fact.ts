/** `createFact`: an admin states a fact. It counts in all of its scope, whatever session it is said to come from. */
import type { Viewer } from '../../../core/identity.ts'
import { notFound, refuseInput, type Refusal } from '../../../core/refusal.ts'
import { isSessionId } from '../../../core/session/session-id.ts'
import type { FactChanged } from '../../../store/knowledge/fact-change.ts'
import { storeCreatedFact } from '../../../store/knowledge/knowledge-fact.ts'
import { announced, editorOf, type KnowledgeContext } from '../knowledge-context.ts'
import { readScope, type ScopeInput } from './scope-input.ts'
import { knowledgeText, knowledgeTextIssues } from '../knowledge-text.ts'

export interface CreateFactInput {
  readonly content: string
  /** Where it comes from. */
  readonly sessionId?: string | null | undefined
  /** Whom it is shown; everybody when left out. */
  readonly scope?: ScopeInput | null | undefined
}

export async function createFact(
  context: KnowledgeContext,
  viewer: Viewer,
  { content, sessionId, scope: input }: CreateFactInput,
): Promise<FactChanged | Refusal> {
  const refusal = refuseInput(knowledgeTextIssues(['content'], content))
  if (refusal !== null) return refusal
  if (sessionId != null && !isSessionId(sessionId)) return notFound('session', sessionId)
  const scope = await readScope(context, input ?? { scope: 'GLOBAL' })
  if ('kind' in scope) return scope
  const fact = { text: knowledgeText(context, content), scope, sessionId: sessionId ?? null }
  return announced(context, await storeCreatedFact(context.database, editorOf(context, viewer), fact))
}
