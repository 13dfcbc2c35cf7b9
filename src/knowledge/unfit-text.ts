/**
 * Why a text must not be kept as knowledge, by its form alone: facts stand in the prompts of every session, so what is
 * empty, boundless or may hold a secret stays out. Pure; called for what reviewer, curator and summarizer write.
 */
import { normalText } from '../core/text/normal-text.ts'
import { REDACTED } from '../core/text/redacted.ts'
import { secretsByForm } from '../secrets/forms/secret-forms.ts'

const MIN_CHARS = 8
export const MAX_KNOWLEDGE_CHARS = 500

/** For logs and the audit; null: the text may be kept. */
export function unfitText(text: string): string | null {
  // First: the normal text of one that is far too long would take hours to make.
  if (text.length > MAX_KNOWLEDGE_CHARS)
    return `it has ${text.length} characters; at most ${MAX_KNOWLEDGE_CHARS} are kept`
  const { length } = normalText(text)
  if (length === 0) return 'it says nothing'
  if (length < MIN_CHARS) return `it has ${length} characters, which is too short to be understood elsewhere`
  return text.includes(REDACTED) || secretsByForm(text).length > 0 ? 'it may hold a secret' : null
}
