/**
 * What the approval policy says of a task, as it stands in a plan or was changed with a decision. Called by the turn
 * for every task with an effect, and when an approval is given.
 */
import { judgeRequest, type ApprovalPolicy, type ApprovalVerdict, type Remembered } from '../core/approval-policy.ts'
import type { Role } from '../core/identity.ts'
import type { ToolEffect } from '../core/tool/tool-name.ts'
import type { TaskType } from '../core/status.ts'
import { readCommands } from '../execution/shell/read-commands.ts'

export interface JudgedTask {
  readonly type: TaskType
  readonly detail: string
  readonly skill: string | null
  readonly tool?: string | null
  /** Of a tool; one that is not known counts as WRITE. */
  readonly effect?: ToolEffect
  readonly fingerprint?: string | undefined
}

export interface JudgeInput {
  readonly policy: ApprovalPolicy
  /** Of the turn's user, as configured now. */
  readonly role: Role
  /** What was approved for the session. */
  readonly remembered: readonly Remembered[]
}

/** Null: the task has no effect outside (MSG), and nothing is asked of it. */
export function judgeTask(task: JudgedTask, { policy, role, remembered }: JudgeInput): ApprovalVerdict | null {
  switch (task.type) {
    case 'MSG':
      return null
    case 'SKILL':
      return judgeRequest(policy, { type: 'SKILL', role, skill: task.skill ?? '' }, remembered)
    case 'TOOL': {
      const { tool, effect = 'WRITE', fingerprint } = task
      return judgeRequest(policy, { type: 'TOOL', role, tool: tool ?? '', effect, fingerprint }, remembered)
    }
    case 'EXEC':
      return judgeRequest(policy, { type: 'EXEC', role, commands: readCommands(task.detail) }, remembered)
    default:
      return task.type satisfies never
  }
}
