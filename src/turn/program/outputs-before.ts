/**
 * What a program may read of the tasks before it in its plan; without secrets, as everything that is written anywhere.
 * Programs have left their long outputs in the workspace (`save-long-outputs.ts`). Those of tools are written there by
 * the next program of the turn, as they may come from calls side by side, and in sessions without a workspace.
 */
import { outputFilesOf, toPlanOutput, type PlanOutputs, type SavedOutput } from '../../execution/output/plan-outputs.ts'
import type { Redactor } from '../../secrets/redaction.ts'
import type { PlanState, TaskState } from '../task/plan-state.ts'
import { isNotice } from '../add-notice.ts'
import type { TurnContext } from '../turn-context.ts'

const ENDED = new Set<TaskState['status']>(['DONE', 'FAILED', 'INTERRUPTED'])

/** In the order of the plan, without notices and without what has not ended. */
export function outputsBefore(context: Pick<TurnContext, 'secrets'>, plan: PlanState, task: TaskState): PlanOutputs {
  const before = plan.tasks.filter((other) => other.index < task.index && ENDED.has(other.status) && !isNotice(other))
  const ofTurn = [...plan.before.flatMap(({ tasks }) => tasks.filter(({ status }) => ENDED.has(status))), ...before]
  const redactor = context.secrets.redactor()
  const entries = before.map((other) => toPlanOutput(redacted(other, redactor)))
  return { entries, files: filesOfTools(ofTurn, redactor), isFirstOfTurn: !ofTurn.some(isProgram) }
}

/** Those that no program of the turn has written yet. One that has exited has written all that were before it. */
function filesOfTools(ofTurn: readonly TaskState[], redactor: Redactor): SavedOutput[] {
  const lastRun = ofTurn.findLastIndex((task) => isProgram(task) && task.exitCode !== null)
  const tools = ofTurn.slice(lastRun + 1).filter(({ type }) => type === 'TOOL')
  return tools.flatMap((task) => {
    const { output, stderr } = redacted(task, redactor)
    const files = outputFilesOf({ ...task, output, stderr })
    return [
      ...(files.output === null ? [] : [{ path: files.output, text: output ?? '' }]),
      ...(files.stderr === null ? [] : [{ path: files.stderr, text: stderr ?? '' }]),
    ]
  })
}

function isProgram({ type }: TaskState): boolean {
  return type === 'EXEC' || type === 'SKILL'
}

function redacted(task: TaskState, redactor: Redactor): TaskState {
  const { output, stderr } = task
  return {
    ...task,
    output: output === null ? null : redactor.redact(output),
    stderr: stderr === null ? null : redactor.redact(stderr),
  }
}
