/** The tasks of an accepted plan with the arguments that the skills will get: checked, defaults filled in. */
import type { ProposedTask } from '../../core/plan/plan.ts'
import { readToolArguments } from '../../core/plan/plan-rules.ts'
import { completeArguments } from '../../core/plan/skill-arguments.ts'
import type { SkillSummary } from '../../core/plan/skill.ts'
import type { JsonObject } from '../../core/tool/json.ts'

/** A task of a plan that obeys the rules, as it is stored. */
export type CompleteTask = Omit<ProposedTask, 'args'> & {
  readonly tool: string | null
  readonly args: JsonObject | null
}

/** `skills`: those that the planner was offered. A call that breaks the rules of a plan has no arguments. */
export function completeTasks(tasks: readonly ProposedTask[], skills: readonly SkillSummary[]): CompleteTask[] {
  return tasks.map((task) => {
    const skill = task.type === 'SKILL' ? skills.find(({ name }) => name === task.skill) : undefined
    const completed = skill === undefined ? null : completeArguments(skill, task.args)
    if (task.type === 'TOOL') return { ...task, tool: task.tool ?? null, args: readToolArguments(task.args) }
    return { ...task, tool: null, args: completed?.kind === 'complete' ? completed.args : null }
  })
}

/** The same text for tasks that do the same. */
export function taskKey({
  type,
  detail,
  skill,
  tool,
  args,
}: Pick<CompleteTask, 'type' | 'detail' | 'skill' | 'tool' | 'args'>): string {
  // What a skill or tool does follows from its arguments; what it is called for may be said in many ways.
  const what =
    type === 'SKILL' || type === 'TOOL'
      ? [skill ?? tool, Object.entries(args ?? {}).sort(([a], [b]) => (a < b ? -1 : 1))]
      : detail.trim()
  return JSON.stringify([type, what])
}
