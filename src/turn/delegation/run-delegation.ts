/**
 * `delegation__delegate`: the task waits while a session of its own works on it. What is due follows from the
 * delegation's row: it is begun once, with the task that is RUNNING, the child's answers are judged as they come, and
 * the turn waits in between without a worker or a connection. The delegator (src/delegation) sends and settles.
 */
import type { CurrentUser } from '../../config/access/current-user.ts'
import { MAX_AT_ONCE, WAITS_FOR_CHILDREN } from '../../core/tool/delegated.ts'
import { DELEGATE } from '../../tools/delegate-tool.ts'
import type { TaskState } from '../task/plan-state.ts'
import type { TaskOutcome } from '../task/task-outcome.ts'
import { stopped, type Ending } from '../turn-context.ts'
import { updateTask } from '../task/update-task.ts'
import type { DelegationContext } from './delegation-context.ts'
import { judgeDelegated } from './judge-delegated.ts'
import { startDelegation } from './start-delegation.ts'

/** Whether the task is carried out here. */
export function isDelegation({ tool }: Pick<TaskState, 'tool'>): boolean {
  return tool === DELEGATE.name
}

/** Passed: the task has ended. */
export async function runDelegation(
  context: DelegationContext,
  { task, user }: { readonly task: TaskState; readonly user: CurrentUser },
): Promise<TaskOutcome> {
  return (await runDelegations(context, { tasks: [task], user })) ?? { kind: 'Passed' }
}

interface Delegations {
  readonly tasks: readonly TaskState[]
  readonly user: CurrentUser
  /** Called for each that ends here, before the turn waits for the others. */
  readonly onEnded?: (task: TaskState) => Promise<unknown>
}

/** Several at once, no more than may be; in their order. Null: all have ended. */
export async function runDelegations(
  context: DelegationContext,
  { tasks, user, onEnded }: Delegations,
): Promise<Ending | null> {
  const waiting: TaskState[] = []
  for (const task of tasks.filter(isOpen)) {
    if (context.signal.aborted) return stopped(context)
    if (waiting.length === MAX_AT_ONCE) break
    const advanced = await advance(context, task, user)
    if (advanced === 'waits') waiting.push(task)
    else if (advanced === 'ended') await onEnded?.(task)
    else return advanced
  }
  if (context.signal.aborted) return stopped(context)
  return waiting.length === 0 ? null : pause(context, waiting)
}

async function advance(
  context: DelegationContext,
  task: TaskState,
  user: CurrentUser,
): Promise<'ended' | 'waits' | Ending> {
  const { delegation } = task
  if (delegation === null) return startDelegation(context, task, user)
  const { status, answer, answered, failure } = delegation
  if (status === 'PENDING' || (status === 'RUNNING' && !answered)) return 'waits'
  if (status === 'RUNNING') return judgeDelegated(context, task, delegation)
  const finishedAt = context.clock.now()
  const patch =
    status === 'DONE'
      ? ({ status, output: answer ?? '', finishedAt } as const)
      : ({ status: 'FAILED', stderr: failure ?? 'It was cancelled.', finishedAt } as const)
  updateTask(context, task, { patch })
  return 'ended'
}

function isOpen({ status }: TaskState): boolean {
  return status === 'PENDING' || status === 'AWAITING_APPROVAL' || status === 'RUNNING'
}

/** The delegator ends what is overdue; this is for when it does not. */
const GRACE_MS = 60_000

function pause({ journal, clock }: DelegationContext, waiting: readonly TaskState[]): Ending {
  const expiry = Math.max(...waiting.map(({ delegation }) => delegation?.expiresAt.getTime() ?? 0))
  const named = waiting.map(({ index }) => index + 1).join(', ')
  const reason = `${WAITS_FOR_CHILDREN} task ${named} was delegated to.`
  journal.record([{ type: 'TurnPaused', reason, until: new Date(expiry).toISOString() }], {
    pause: { reason, at: clock.now(), until: new Date(expiry + GRACE_MS) },
  })
  return { kind: 'Paused' }
}
