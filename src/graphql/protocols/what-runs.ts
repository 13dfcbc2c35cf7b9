/** What an approval lets run, for who decides: a line for each command or call. */
import type { ApprovalData } from './turn-documents.ts'

/** Of a plan, all that it does but its texts. */
export function whatRuns({ kind, task }: Pick<ApprovalData, 'kind' | 'task'>): string[] {
  const tasks = kind === 'PLAN' ? task.plan.tasks.filter(({ type }) => type !== 'MSG') : [task]
  return tasks.map(({ detail, skill, tool, args }) => {
    const called = tool ?? skill
    return called === null ? detail : `${called} ${JSON.stringify(args)}`
  })
}
