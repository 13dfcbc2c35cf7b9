/** The rules for texts of facts, learnings and questions that people write, and for the ids they name. */
import { normalText } from '../../core/normal-text.ts'
import type { InputIssue } from '../../core/refusal.ts'
import { textIssues } from '../../core/text-rule.ts'
import { idKind, type IdKind } from '../../platform/id.ts'
import type { NormalizedText } from '../../store/knowledge-edit.ts'

/** UTF-16 code units. Every fact may stand in every prompt: one that needs more is several. */
export const MAX_TEXT_LENGTH = 2000

/** No issue when `text` is absent. */
export function knowledgeTextIssues(path: readonly string[], text: string | null | undefined): InputIssue[] {
  if (text != null && normalText(text) === '') return [{ path, message: 'must not be blank' }]
  return textIssues(path, text, { min: 1, max: MAX_TEXT_LENGTH })
}

/** As it is stored: white space around it says nothing. */
export function toKnowledgeText(text: string): NormalizedText {
  const content = text.trim()
  return { content, norm: normalText(content) }
}

/** Anything else is the id of no such thing, and need not be looked up. */
export function isIdOf(kind: IdKind, id: string): boolean {
  return idKind(id) === kind
}
