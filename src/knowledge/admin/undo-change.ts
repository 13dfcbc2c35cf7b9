/** `undoChange`: an admin undoes what one act did to facts, as a whole: a merge, a consolidation, a replacement. */
import type { Viewer } from '../../core/identity.ts'
import { notFound, type Refusal } from '../../core/refusal.ts'
import { storeUndoneChange, type ChangeUndone } from '../../store/knowledge/undo-change.ts'
import { announced, editorOf, type KnowledgeContext } from './knowledge-context.ts'
import { isIdOf } from './knowledge-text.ts'

export async function undoChange(
  context: KnowledgeContext,
  viewer: Viewer,
  { changeId }: { readonly changeId: string },
): Promise<ChangeUndone | Refusal> {
  if (!isIdOf('change', changeId)) return notFound('change', changeId)
  return announced(context, await storeUndoneChange(context.database, editorOf(context, viewer), changeId))
}
