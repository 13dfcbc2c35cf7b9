/**
 * COMPLETE: settles the turn, its message and the session, and tells everybody; always the last events of a turn. A turn that
 * goes on elsewhere or later (handed over, lease lost, paused) is left as it stands.
 */
import type { FinalTurnStatus } from '../core/status.ts'
import { endOpenTasks, type PlanState } from './plan-state.ts'
import { tellUser } from './tell-user.ts'
import type { Ending, TurnContext } from './turn-context.ts'

export async function finishTurn(
  context: TurnContext,
  attempts: readonly PlanState[],
  ending: Ending,
): Promise<Ending> {
  if (ending.kind === 'Paused' || (ending.kind === 'Stopped' && ending.reason !== 'CANCELLED')) return ending
  const plan = attempts.at(-1) ?? null
  if (plan !== null) endOpenTasks(context, plan, 'CANCELLED')
  if (ending.kind === 'Failed') tellUser(context, plan, ending.failure)
  const status = statusOf(ending)
  const failure = ending.kind === 'Failed' ? ending.failure : null
  const at = context.clock.now()
  context.journal.record(
    [
      { type: 'PipelineStep', step: 'COMPLETE', detail: status },
      {
        type: 'TurnCompleted',
        status,
        commandsHandled: [],
        durationMs: Math.max(0, at.getTime() - context.turn.startedAt.getTime()),
        usage: context.journal.usage,
        failure,
      },
    ],
    { finish: { status, failure, at } },
  )
  await context.journal.flushed()
  return ending
}

function statusOf(ending: Ending): FinalTurnStatus {
  if (ending.kind === 'Done') return 'DONE'
  return ending.kind === 'Failed' ? 'FAILED' : 'CANCELLED'
}
