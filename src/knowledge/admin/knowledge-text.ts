/**
 * The rules for what people write about facts, learnings and questions, and how it is stored; and for the ids they
 * name.
 */
import { normalText } from '../../core/text/normal-text.ts'
import type { InputIssue } from '../../core/refusal.ts'
import { textIssues } from '../../core/text/text-rule.ts'
import { idKind, type IdKind } from '../../platform/id.ts'
import type { NormalizedText } from '../../store/knowledge/knowledge-edit.ts'
import type { KnowledgeContext } from './knowledge-context.ts'

/** UTF-16 code units. Every fact may stand in every prompt: one that needs more is several. */
export const MAX_TEXT_LENGTH = 2000

/** No issue when `text` is absent. What is too long is not read: its normal text would take hours to make. */
export function knowledgeTextIssues(path: readonly string[], text: string | null | undefined): InputIssue[] {
  const isShort = text != null && text.length <= MAX_TEXT_LENGTH
  if (isShort && normalText(text) === '') return [{ path, message: 'must not be blank' }]
  return textIssues(path, text, { min: 1, max: MAX_TEXT_LENGTH })
}

type HideSecrets = Pick<KnowledgeContext, 'hideSecrets'>

/** The text of a fact or question as it is stored: without secrets, and without the white space around it. */
export function knowledgeText({ hideSecrets }: HideSecrets, text: string): NormalizedText {
  const content = hideSecrets(text.trim())
  return { content, norm: normalText(content) }
}

/** A reason or an answer as it is stored; null when there is none. */
export function remarkOf({ hideSecrets }: HideSecrets, text: string | null | undefined): string | null {
  return text == null ? null : hideSecrets(text.trim())
}

/** Anything else is the id of no such thing, and need not be looked up. */
export function isIdOf(kind: IdKind, id: string): boolean {
  return idKind(id) === kind
}
