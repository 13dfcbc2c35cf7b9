/**
 * A command was under way when its process died. Its outcome is unknown: it is marked INTERRUPTED with what it had
 * printed, for the reviewer to judge, and never silently run again.
 */
import { loadPartialOutput } from '../../store/turn/turn-history.ts'
import type { TaskState } from '../task/plan-state.ts'
import { updateTask } from '../task/update-task.ts'
import type { TaskContext, TurnContext } from '../turn-context.ts'

const CUT_OFF = 'The server stopped while this command ran: whether it took effect, and how far, is unknown.'

/** Called once for each task that is RUNNING when its turn is taken over. */
export async function interruptTask(
  context: TaskContext & Pick<TurnContext, 'database'>,
  task: TaskState,
): Promise<void> {
  const { sessionId, turn } = context
  const partial = await loadPartialOutput(context.database, { sessionId, taskId: task.id, afterSeq: turn.seq })
  const stderr = partial.stderr === '' ? CUT_OFF : `${partial.stderr}\n${CUT_OFF}`
  updateTask(context, task, {
    patch: { status: 'INTERRUPTED', output: partial.stdout, stderr, finishedAt: context.clock.now() },
  })
}
