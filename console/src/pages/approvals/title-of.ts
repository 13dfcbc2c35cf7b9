/** What an approval is about, in one line. */
import type { ApprovalRowFragment } from '../../generated/graphql.ts'

const MOST = 120

export function titleOf({ kind, task }: ApprovalRowFragment): string {
  const text = kind === 'PLAN' ? `Plan: ${task.plan.goal}` : task.detail
  return text.length > MOST ? `${text.slice(0, MOST).toWellFormed()}…` : text
}
