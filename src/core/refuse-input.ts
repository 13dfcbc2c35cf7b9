/** Turns what is wrong with an input into one refusal that names every issue at once. */
import type { InputIssue, Refusal } from './refusal.ts'

/** Null when there is no issue. */
export function refuseInput(issues: readonly InputIssue[]): Refusal | null {
  if (issues.length === 0) return null
  const message = issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ')
  return { kind: 'InvalidInput', message, issues }
}
