/**
 * EXECUTING: the plan's tasks one by one. What is due for a task follows from its row alone (`nextStep`), so a plan
 * that another process left is carried on at the first task that has not ended. Before each task the user's rights and
 * the approval policy are read again; all approvals that a plan needs are asked for before anything of it runs.
 */
import { currentUser, type CurrentUser } from '../../config/access/current-user.ts'
import { must, unreachable } from '../../platform/must.ts'
import { auditRights } from '../audit-rights.ts'
import type { DelegationContext } from '../delegation/delegation-context.ts'
import { failOutside, mayBeCalled } from '../delegation/may-be-called.ts'
import { isDelegation, runDelegation } from '../delegation/run-delegation.ts'
import { interruptTask } from '../program/interrupt-task.ts'
import { nextStep } from '../task/next-step.ts'
import { passApprovals } from '../approvals/pass-approvals.ts'
import type { PlanState, TaskState } from '../task/plan-state.ts'
import { refuseTask } from '../task/refuse-task.ts'
import { reviewTask } from './review-task.ts'
import { runSkill } from '../program/run-skill.ts'
import { runTool } from '../tools/run-tool.ts'
import { taskInSpan } from '../spans/step-spans.ts'
import { isBrokenOff, takeAdditions } from '../take-along.ts'
import type { BrokenOff, ReplanWanted, TaskOutcome } from '../task/task-outcome.ts'
import { stopped, type Ending, type TurnContext, type TaskContext } from '../turn-context.ts'
import { whyBarred } from '../why-barred.ts'
import { writeMessage } from './write-message.ts'
import type { Role } from '../../core/identity.ts'
import { outputsBefore } from '../program/outputs-before.ts'
import { runProgram } from '../program/run-program.ts'

type RunTaskContext = Parameters<typeof runSkill>[0] &
  Parameters<typeof runTool>[0] &
  DelegationContext &
  Pick<TurnContext, 'tracing'>
/** One task: what runs it, writes it or reviews it. */
type AdvanceContext = RunTaskContext & Parameters<typeof reviewTask>[0] & Parameters<typeof writeMessage>[0]
/** Between tasks messages of the user may join. */
type ExecutePlanContext = AdvanceContext & Pick<TurnContext, 'busyPolicy' | 'join'>

/**
 * Until the plan has ended, is given up or broken off, or the turn stops. Repeated for a plan that was left anywhere it
 * goes on there.
 */
export async function executePlan(
  context: ExecutePlanContext,
  plan: PlanState,
): Promise<ReplanWanted | BrokenOff | Ending> {
  const detail = plan.tasks.length === 1 ? '1 task' : `${plan.tasks.length} tasks`
  context.journal.record([{ type: 'PipelineStep', step: 'EXECUTING', detail }])
  // Additions first: a plan that they break off needs no approval. If one was asked for already, its decision comes
  // first.
  const wasAsked = plan.tasks.some(({ approval }) => approval !== null)
  if (!wasAsked && (await takeAdditions(context, plan))) return { kind: 'BrokenOff' }
  const barred = await passApprovals(context, plan, { asks: 'PLAN' })
  if (barred !== null) return barred
  for (const task of plan.tasks) {
    if (context.signal.aborted) return stopped(context)
    const isBoundary = nextStep(task) === 'run' && (task.index > 0 || wasAsked)
    if (isBoundary && (await takeAdditions(context, plan))) return { kind: 'BrokenOff' }
    const outcome = await advance(context, plan, task)
    if (outcome.kind !== 'Passed') return outcome
  }
  return { kind: isBrokenOff(context, plan) ? 'BrokenOff' : 'Done' }
}

async function advance(context: AdvanceContext, plan: PlanState, task: TaskState): Promise<TaskOutcome> {
  const step = nextStep(task)
  switch (step) {
    case 'pass':
      return { kind: 'Passed' }
    case 'replan':
      return { kind: 'ReplanWanted', task, reason: task.reviewReason ?? '' }
    case 'review':
      return reviewTask(context, plan, task)
    case 'interrupt':
      await interruptTask(context, task)
      return reviewTask(context, plan, task)
    case 'run':
      return run(context, plan, task)
    default:
      return unreachable(step)
  }
}

/** Runs what has an effect, by its type. */
export function runTask(
  context: RunTaskContext,
  { plan, task, user }: { readonly plan: PlanState; readonly task: TaskState; readonly user: CurrentUser },
): Promise<TaskOutcome> {
  if (!mayBeCalled(context, task)) return Promise.resolve(failOutside(context, task))
  if (isDelegation(task)) return runDelegation(context, { task, user })
  return taskInSpan(context, task, () => {
    if (task.type === 'TOOL') return runTool(context, { task, user })
    return task.type === 'SKILL'
      ? runSkill(context, { plan, task, user })
      : executeCommand(context, { plan, task, role: user.role })
  })
}

async function run(context: AdvanceContext, plan: PlanState, task: TaskState): Promise<TaskOutcome> {
  const configured = currentUser(context.config.current(), context.turn.userName)
  auditRights(context, plan, configured)
  const reason = whyBarred(context)
  if (reason !== null) return refuseTask(context, task, reason)
  const user = must(configured, 'who is not barred is configured')
  if (task.type === 'MSG') return writeMessage(context, plan, task)
  const barred = await passApprovals(context, plan, { asks: 'TASKS' })
  if (barred !== null) return barred
  const executed = await runTask(context, { plan, task, user })
  return executed.kind === 'Passed' ? reviewTask(context, plan, task) : executed
}

/** A task of type EXEC with its plan. */
interface CommandTask {
  readonly plan: PlanState
  readonly task: TaskState
  /** As configured now. */
  readonly role: Role
}

type ExecuteCommandContext = TaskContext &
  Pick<TurnContext, 'signal' | 'commands' | 'config' | 'home' | 'publicUrl' | 'database' | 'logger'>

/**
 * EXEC: runs a task's command, with the rights of `role` (see src/execution).
 * As `runProgram`; the command may read what the tasks before it have put out.
 */
function executeCommand(context: ExecuteCommandContext, { plan, task, role }: CommandTask): Promise<TaskOutcome> {
  const outputs = outputsBefore(context, plan, task)
  return runProgram(context, task, {
    word: 'command',
    role,
    mayHoldSecrets: role === 'ADMIN',
    start: (frame) => context.commands.run({ ...frame, command: task.detail, role, outputs }),
  })
}
