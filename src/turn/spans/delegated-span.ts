/** A delegated task, for a collector: under its span stand the turns of the child, in whichever processes they run. */
import { spanIdOfTask } from '../../telemetry/trace-parent.ts'
import type { Tracing } from '../../telemetry/tracing.ts'
import type { Clock } from '../../platform/clock.ts'
import type { TaskState } from '../task/plan-state.ts'

interface DelegatedSpanContext {
  readonly tracing: Tracing
  readonly clock: Pick<Clock, 'now'>
}

/** What a collector is told of a task at its beginning. */
export function taskStart({ id, type, tool, skill }: TaskState) {
  const name = tool ?? skill ?? 'exec'
  const attributes = {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': name,
    'gen_ai.tool.type': type === 'TOOL' ? 'extension' : 'function',
    'factotum.task.id': id,
    'factotum.task.type': type,
  }
  return { of: 'task', subject: name, attributes } as const
}

/** The task has ended, perhaps by its turn's end: its span is recorded now, from when it was delegated. */
export function recordDelegatedSpan({ tracing, clock }: DelegatedSpanContext, task: TaskState): void {
  const { id, status, delegation } = task
  if (!tracing.isOn || delegation === null) return
  const elapsedMs = clock.now().getTime() - delegation.createdAt.getTime()
  void tracing.inSpan({ ...taskStart(task), task: { spanId: spanIdOfTask(id), elapsedMs } }, (span) => {
    span.set({ 'factotum.task.status': status })
    if (status !== 'DONE') span.fail(`TASK_${status}`)
    return Promise.resolve()
  })
}
