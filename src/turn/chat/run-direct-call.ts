/**
 * The story of a turn whose message calls a tool itself (src/intake/message/call-tool.ts): a conversation's plan that
 * has the one call, and no model is asked. What comes of the call is how the turn ends.
 *
 *   EXECUTING           makeCalls
 */
import type { DirectCall } from '../../core/tool/direct-call.ts'
import { argumentProblems } from '../../tools/check-arguments.ts'
import type { HookContext } from '../hooks/hook-data.ts'
import type { PlanState, TaskState } from '../task/plan-state.ts'
import { stopped, type Ending, type TaskContext, type TurnContext } from '../turn-context.ts'
import { addTask, planOf } from './grow-plan.ts'
import { makeCalls, type MakeCallsContext } from './make-calls.ts'

/** `attempts`: the turn's plan, if there is one already; the one that this makes is added. */
export async function runDirectCall(
  context: MakeCallsContext,
  attempts: PlanState[],
  call: DirectCall,
): Promise<Ending> {
  if (context.signal.aborted) return stopped(context)
  const goal = `Call ${call.tool}.`
  const plan = planOf(context, attempts, { goal, summary: '', facts: [], pluginSections: [] })
  const [task = addCall(context, plan, call)] = plan.tasks
  const ending = await makeCalls(context, plan, { number: 1, text: null, calls: [task] })
  return ending ?? endingOf(call, task)
}

/** The tool may have changed since the message was accepted; one that is gone is told of when it is called. */
function addCall(
  context: TaskContext & HookContext & Pick<TurnContext, 'tools'>,
  plan: PlanState,
  { tool, args }: DirectCall,
): TaskState {
  const parameters = context.tools.tools.get(tool)?.parameters
  const problem = parameters === undefined ? '' : argumentProblems(parameters, args).join('; ')
  const refused = {
    status: 'FAILED',
    stderr: `The call was not made: ${problem}.`,
    finishedAt: context.clock.now(),
  } as const
  const called = { type: 'TOOL', detail: `Calls ${tool}.`, skill: null, tool, args, round: 1, callId: null } as const
  return addTask(context, plan, { ...called, patch: problem === '' ? {} : refused })
}

function endingOf({ tool }: DirectCall, { status, reviewVerdict, reviewReason }: TaskState): Ending {
  if (reviewVerdict === 'REPLAN') return { kind: 'Failed', failure: reviewReason ?? '' }
  if (status === 'FAILED')
    return { kind: 'Failed', failure: `The call of ${tool} failed. What it said is listed with this turn.` }
  if (status === 'INTERRUPTED')
    return { kind: 'Failed', failure: `What became of the call of ${tool} is not known. It is not called again.` }
  return { kind: 'Done' }
}
