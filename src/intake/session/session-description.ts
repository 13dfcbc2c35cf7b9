/** The rules for what describes a session: a label of one glance, and the time zone of its people. */
import { timeZoneIssue } from '../../config/schema/time-zone-issue.ts'
import type { InputIssue } from '../../core/refusal.ts'
import { textIssues } from '../../core/text/text-rule.ts'

/** None when it is null or left out, or 1 to 1000 characters that can be stored. */
export function descriptionIssues(description: string | null | undefined): InputIssue[] {
  return textIssues(['description'], description, { min: 1, max: 1000 })
}

/** None when it is null or left out, or the name of a time zone. */
export function timeZoneIssues(timeZone: string | null | undefined): InputIssue[] {
  const issue = timeZone == null ? null : timeZoneIssue(timeZone)
  return issue === null ? [] : [{ path: ['timeZone'], message: issue }]
}
