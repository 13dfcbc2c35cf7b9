/** The rule for a session's description: a label of one glance, with null for none. */
import type { InputIssue } from '../../core/refusal.ts'
import { textIssues } from '../../core/text/text-rule.ts'

/** None when it is null or left out, or 1 to 1000 characters that can be stored. */
export function descriptionIssues(description: string | null | undefined): InputIssue[] {
  return textIssues(['description'], description, { min: 1, max: 1000 })
}
