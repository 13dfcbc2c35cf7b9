/** What a session that was opened for a delegated task may call: asked when it is offered, and before each task. */
import { mayCall } from '../../core/tool/delegated.ts'
import { SKILLS_SOURCE } from '../../core/tool/tool-name.ts'
import type { TaskState } from '../task/plan-state.ts'
import type { TaskOutcome } from '../task/task-outcome.ts'
import type { TaskContext, TurnContext } from '../turn-context.ts'
import { isOwnTool } from '../../tools/own-tools.ts'
import { updateTask } from '../task/update-task.ts'

type Call = Pick<TaskState, 'type' | 'skill' | 'tool'>

const EXEC = 'exec'

/** Texts, and what stays within the session, always. */
export function mayBeCalled(
  { delegated, tools }: Pick<TurnContext, 'delegated' | 'tools'>,
  { type, skill, tool }: Call,
): boolean {
  if (type === 'MSG' || isOwnTool(tools, tool)) return true
  return mayCall(delegated, type === 'EXEC' ? EXEC : type === 'SKILL' ? skillCall(skill ?? '') : (tool ?? ''))
}

/** How a skill is named among what may be called. */
export function skillCall(skill: string): string {
  return `${SKILLS_SOURCE}__${skill}`
}

/** It fails; what that means is the caller's. */
export function failOutside(context: TaskContext, task: TaskState): TaskOutcome {
  const stderr = 'It was not run: this session was opened for a delegated task that may not call it.'
  updateTask(context, task, { patch: { status: 'FAILED', stderr, finishedAt: context.clock.now() } })
  return { kind: 'Passed' }
}
