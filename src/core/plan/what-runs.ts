/**
 * What an approval lets run, for who decides: each command or call. What hides in it, or would be shown in another
 * order than it runs in, is seen.
 */
import { harmlessCode } from '../text/harmless.ts'

/** As clients read a task. */
export interface Call {
  readonly type: string
  readonly detail: string
  readonly skill: string | null
  readonly tool: string | null
  readonly args: unknown
}

interface Asked {
  readonly kind: string
  readonly task: Call & { readonly plan: { readonly tasks: readonly Call[] } }
}

/** Of a plan, all that it does but its texts. */
export function whatRuns({ kind, task }: Asked): string[] {
  return (kind === 'PLAN' ? task.plan.tasks.filter(({ type }) => type !== 'MSG') : [task]).map(describeCall)
}

export function describeCall({ detail, skill, tool, args }: Omit<Call, 'type'>): string {
  const called = tool ?? skill
  return harmlessCode(called === null ? detail : `${called} ${JSON.stringify(args)}`)
}
