/**
 * `memory__remember`: what the assistant thinks should be known in other conversations becomes a learning, which the
 * curator or an admin decides about. It changes nothing else, so no approval is asked for it.
 */
import { keepLearning } from '../knowledge/keep-learning.ts'
import type { TaskState } from '../task/plan-state.ts'
import type { TaskContext, TurnContext } from '../turn-context.ts'
import { updateTask } from '../task/update-task.ts'

type RememberContext = TaskContext & Pick<TurnContext, 'database' | 'config' | 'due' | 'logger'>

/** One learning for each task: what a process that died has kept is found as a repetition. */
export async function remember(context: RememberContext, task: TaskState): Promise<void> {
  const text = task.args?.['text']
  const learning = await keepLearning(context, task.id, {
    source: 'CHAT',
    text: typeof text === 'string' ? text : '',
  })
  const output =
    learning === null || learning.entry.status === 'REFUSED'
      ? 'It was not kept: it is known already, or it is no fact that can stand by itself.'
      : 'It was kept, and will be checked.'
  const at = context.clock.now()
  updateTask(context, task, {
    patch: { status: 'DONE', output, startedAt: at, finishedAt: at },
    changes: learning === null ? {} : { learnings: [learning] },
  })
}
