/**
 * EXECUTING, in a conversation: the calls of one answer. All approvals that they need are asked for before any of them
 * is made. Calls that only read are made side by side, all others one after another; when the user says more meanwhile
 * (busy policy STEER), what has not begun is left out.
 */
import { currentUser } from '../../config/access/current-user.ts'
import { must } from '../../platform/must.ts'
import { passApprovals } from '../approvals/pass-approvals.ts'
import { auditRights } from '../audit-rights.ts'
import type { HookContext } from '../hooks/hook-data.ts'
import { judgedByPlugins } from '../hooks/task-hooks.ts'
import { nextStep } from '../task/next-step.ts'
import type { PlanState, TaskState } from '../task/plan-state.ts'
import { runTask } from '../steps/execute-plan.ts'
import { interruptTask } from '../program/interrupt-task.ts'
import type { DelegationContext } from '../delegation/delegation-context.ts'
import { isDelegation, runDelegations } from '../delegation/run-delegation.ts'
import { refuseTask } from '../task/refuse-task.ts'
import { stopped, type Ending, type TaskContext, type TurnContext } from '../turn-context.ts'
import { updateTask } from '../task/update-task.ts'
import { whyBarred } from '../why-barred.ts'
import type { Round } from './chat-rounds.ts'
import { KEEP_SECRET, REMEMBER } from '../../tools/own-tools.ts'
import { answerKeepSecret } from './keep-secret.ts'
import { takeSaid } from './take-said.ts'
import { keepLearning } from '../knowledge/keep-learning.ts'

type RunCallContext = DelegationContext &
  HookContext &
  Pick<TurnContext, 'commands' | 'skills' | 'tools' | 'home' | 'publicUrl' | 'due'>

/** What making calls takes. */
export type MakeCallsContext = RunCallContext & Pick<TurnContext, 'busyPolicy' | 'join'>

/** Null: all calls have ended, and the model is to be given what came of them. */
export async function makeCalls(context: MakeCallsContext, plan: PlanState, round: Round): Promise<Ending | null> {
  for (const task of round.calls) {
    if (nextStep(task) === 'interrupt') await interruptTask(context, task)
  }
  await judgeLeft(context, round)
  if (context.signal.aborted) return stopped(context)
  const open = round.calls.filter(isOpen)
  if (open.length === 0) return null
  context.journal.record([{ type: 'PipelineStep', step: 'EXECUTING', detail: describeCalls(open.length) }])
  const barred = await passAll(context, plan)
  if (barred !== null) return barred
  await heedSaid(context, round)
  if (open.every(isDelegation)) return delegateAll(context, plan, open)
  const readsOnly = open.every((task) => context.tools.tools.get(task.tool ?? '')?.effect === 'READ')
  if (readsOnly) {
    const endings = await Promise.all(open.filter(isOpen).map((task) => runCall(context, plan, task)))
    return endings.find((ending) => ending !== null) ?? null
  }
  for (const task of open.filter(isOpen)) {
    if (context.signal.aborted) return stopped(context)
    if (task !== open[0] && (await takeSaid(context, round.number))) skip(context, task)
    else {
      const barredNow = task === open[0] ? null : await passAll(context, plan)
      if (barredNow !== null) return barredNow
      if (!isOpen(task)) continue
      const ending = await runCall(context, plan, task)
      if (ending !== null) return ending
    }
  }
  return null
}

/**
 * What was said while people decided about calls comes before these: the decision was made without it. Where a person
 * called the tool, no model would hear it: it gets a turn of its own.
 */
async function heedSaid(context: MakeCallsContext, { number, calls }: Round): Promise<void> {
  const wasAsked = calls.some(({ approval }) => approval !== null)
  if (!wasAsked || context.turn.call !== null || !(await takeSaid(context, number))) return
  for (const task of calls.filter(({ status }) => status === 'PENDING')) skip(context, task)
}

function isOpen({ status, delegation }: TaskState): boolean {
  return status === 'PENDING' || status === 'AWAITING_APPROVAL' || (status === 'RUNNING' && delegation !== null)
}

/** Side by side, in sessions of their own. */
async function delegateAll(
  context: DelegationContext & HookContext,
  plan: PlanState,
  tasks: readonly TaskState[],
): Promise<Ending | null> {
  const user = currentUser(context.config.current(), context.turn.userName)
  auditRights(context, plan, user)
  const reason = whyBarred(context)
  const first = tasks.find(isOpen)
  if (first !== undefined && (reason !== null || user === null)) return refuseTask(context, first, reason ?? '')
  return user === null
    ? null
    : runDelegations(context, { tasks, user, onEnded: (task) => judgedByPlugins(context, task) })
}

/**
 * What had ended before the turn came here was left by another process, or by this one before a pause. Nothing in its
 * row says that plugins have let it pass, so they are asked again, lest a rejection be lost.
 */
async function judgeLeft(context: RunCallContext, { calls }: Round): Promise<void> {
  for (const task of calls) {
    if (task.status === 'DONE' && task.reviewVerdict === null && !isOwn(task)) await judgedByPlugins(context, task)
  }
}

/** What the server keeps by itself, which no plugin judges. */
function isOwn({ tool }: TaskState): boolean {
  return tool === REMEMBER.name || tool === KEEP_SECRET.name
}

function describeCalls(count: number): string {
  return count === 1 ? '1 call' : `${count} calls`
}

/** A call that was denied has failed, which the model is given like any other failure; the others are asked for. */
async function passAll(
  context: TaskContext & Pick<TurnContext, 'config' | 'database' | 'tools' | 'delegated'>,
  plan: PlanState,
): Promise<Ending | null> {
  for (;;) {
    const passed = await passApprovals(context, plan, { asks: 'EACH' })
    if (passed === null) return null
    if (passed.kind !== 'ReplanWanted') return passed
  }
}

async function runCall(context: RunCallContext, plan: PlanState, task: TaskState): Promise<Ending | null> {
  const configured = currentUser(context.config.current(), context.turn.userName)
  auditRights(context, plan, configured)
  const reason = whyBarred(context)
  if (reason !== null) return refuseTask(context, task, reason)
  const user = must(configured, 'who is not barred is configured')
  if (task.tool === REMEMBER.name) {
    await remember(context, task)
    return null
  }
  if (task.tool === KEEP_SECRET.name) {
    answerKeepSecret(context, task)
    return null
  }
  const outcome = await runTask(context, { plan, task, user })
  if (outcome.kind === 'Passed' && task.reviewVerdict === null) await judgedByPlugins(context, task)
  // Without the verdict of plugins it is not through; another process asks them.
  if (context.signal.aborted) return stopped(context)
  return outcome.kind === 'Passed' || outcome.kind === 'ReplanWanted' ? null : outcome
}

function skip(context: TaskContext, task: TaskState): void {
  updateTask(context, task, { patch: { status: 'SKIPPED', finishedAt: context.clock.now() } })
}

type RememberContext = TaskContext & Pick<TurnContext, 'database' | 'config' | 'due' | 'logger'>

/**
 * `memory__remember`: what the assistant thinks should be known in other conversations becomes a learning, which the
 * curator or an admin decides about. It changes nothing else, so no approval is asked for it.
 * One learning for each task: what a process that died has kept is found as a repetition.
 */
async function remember(context: RememberContext, task: TaskState): Promise<void> {
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
