/**
 * Why a text must not be kept as knowledge, by its form alone: facts stand in the prompts of every session, so what is empty,
 * boundless or may hold a secret stays out. Pure; called for what reviewer, curator and summarizer write.
 */
import { normalText } from '../core/text/normal-text.ts'

const MIN_CHARS = 8
export const MAX_KNOWLEDGE_CHARS = 500

/** For logs and the audit; null: the text may be kept. */
export function unfitText(text: string): string | null {
  const { length } = normalText(text)
  if (length === 0) return 'it says nothing'
  if (length < MIN_CHARS) return `it has ${length} characters, which is too short to be understood elsewhere`
  if (text.length > MAX_KNOWLEDGE_CHARS)
    return `it has ${text.length} characters; at most ${MAX_KNOWLEDGE_CHARS} are kept`
  return SECRETS.some((pattern) => pattern.test(text)) ? 'it may hold a secret' : null
}

/** A secret that was masked before, and the forms that unknown ones commonly have. A word such as "password" alone is none. */
const SECRETS: readonly RegExp[] = [
  /\[REDACTED\]/,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  /\b(?:gh[pousr]_|github_pat_|glpat-|xox[abprs]-|sk-|pk_live_|sk_live_|AKIA|AIza|npm_|dop_v1_)[\w-]{12,}/,
  /\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{5,}/,
  /\b(?:password|passwd|passphrase|pwd|secret|api[ _-]?key|access[ _-]?key|token)\b["'`]?\s*(?:is|are|=|:|was)\s*["'`]?(?=\S*\d)\S{6,}/i,
  /\b[a-z][a-z0-9+.-]*:\/\/[^\s/:@]+:[^\s/@]+@/i,
]
