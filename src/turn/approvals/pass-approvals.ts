/**
 * Whether a plan may go on: before anything of it runs, and again before each task with an effect, since the rules, the
 * user's role and what was approved may have changed. Everything follows from the rows, so a turn that waited for days,
 * or was taken over, walks the same way.
 *
 * All approvals that a plan needs are asked for together, in one commit with the pause: nothing of the plan has
 * happened while a decision is pending, and the decider sees all of it. The turn then holds no worker and no
 * connection. It is ready again when all are approved, or one is not.
 *
 * A plan of an admin in a session in which strangers have written is approved as a whole, once, which stands for its
 * tasks too.
 */
import { judgeTask } from '../../approvals/judge-task.ts'
import { currentUser, type CurrentUser } from '../../config/access/current-user.ts'
import type { ApprovalVerdict, Remembered } from '../../core/approval-policy.ts'
import { loadRemembered } from '../../store/turn/approvals.ts'
import { must } from '../../platform/must.ts'
import { askApprovals, fingerprintOf, waitForApprovals, type WantedApproval } from './ask-approvals.ts'
import type { PlanState, TaskState } from '../task/plan-state.ts'
import type { ReplanWanted } from '../task/task-outcome.ts'
import type { Ending, TaskContext, TurnContext } from '../turn-context.ts'
import { isOwnTool } from '../../tools/own-tools.ts'
import { whyBarred } from '../why-barred.ts'
import { updateTask } from '../task/update-task.ts'
import { withdrawApproval } from './withdraw-approval.ts'

/**
 * What is asked about. PLAN: the plan is about to begin, or to go on after a wait, and may be approved as a whole.
 * TASKS: some of it has begun. EACH: the calls of a conversation, which never stand for those that come after them.
 */
export type Asks = 'PLAN' | 'TASKS' | 'EACH'

/** Null: nothing stands in its way. */
export async function passApprovals(
  context: TaskContext & Pick<TurnContext, 'config' | 'database' | 'tools' | 'delegated'>,
  plan: PlanState,
  { asks }: { readonly asks: Asks },
): Promise<ReplanWanted | Ending | null> {
  const denied = plan.tasks.find((task) => isOpen(task) && denialOf(context, task) !== null)
  if (denied !== undefined) return denyTask(context, denied, denialOf(context, denied) ?? '')
  if (plan.tasks.some((task) => task.approval?.status === 'PENDING')) return waitForApprovals(context, plan)
  const open = plan.tasks.filter((task) => isOpen(task) && hasEffect(context, task))
  const user = currentUser(context.config.current(), context.turn.userName)
  // A user who is no longer there runs nothing; each task says so.
  return open.length === 0 || user === null || whyBarred(context) !== null
    ? null
    : judge(context, plan, { open, user, asks })
}

/** What the server's own tools do stays within the turn. */
function hasEffect({ tools }: Pick<TurnContext, 'tools'>, { type, tool }: TaskState): boolean {
  return type !== 'MSG' && !isOwnTool(tools, tool)
}

function isOpen({ status }: TaskState): boolean {
  return status === 'PENDING' || status === 'AWAITING_APPROVAL'
}

/** A whole sentence with what was said of it; null: the task was not denied. */
function denialOf({ clock }: Pick<TurnContext, 'clock'>, { index, approval }: TaskState): string | null {
  if (approval === null) return null
  const what = approval.kind === 'PLAN' ? 'The plan' : `Task ${index + 1}`
  const note = approval.note === null ? '' : ` The note says: ${approval.note}`
  if (approval.status === 'DENIED') return `${what} was denied by ${approval.decidedBy ?? 'an admin'}.${note}`
  const isOver = approval.status === 'PENDING' && approval.expiresAt <= clock.now()
  return approval.status === 'EXPIRED' || isOver
    ? `${what} was not run: nobody approved it in time, which counts as denied.`
    : null
}

interface OpenTasks {
  readonly open: readonly TaskState[]
  readonly user: CurrentUser
  readonly asks: Asks
}

async function judge(
  context: TaskContext & Pick<TurnContext, 'config' | 'database' | 'tools' | 'delegated'>,
  plan: PlanState,
  { open, user, asks }: OpenTasks,
): Promise<ReplanWanted | Ending | null> {
  const isApproved = ({ approval }: TaskState): boolean => approval?.status === 'APPROVED'
  const isPlanApproved = plan.tasks.some((task) => task.approval?.kind === 'PLAN' && isApproved(task))
  const ground = await groundOf(context, plan, { open, user, asks })
  const { approvals: policy } = context.config.current()
  const judged = open.flatMap((task) => {
    const tool = context.tools.tools.get(task.tool ?? '')
    const offer = { effect: tool?.effect ?? 'WRITE', fingerprint: tool?.fingerprint } as const
    const verdict = judgeTask({ ...task, ...offer }, { policy, role: user.role, remembered: ground?.remembered ?? [] })
    return verdict === null ? [] : [{ task, verdict }]
  })
  const barred = judged.find(({ verdict }) => verdict.effect === 'DENY')
  if (barred !== undefined)
    return denyTask(context, barred.task, `Task ${barred.task.index + 1} was not run: ${barred.verdict.reason}.`)
  if (isPlanApproved) return null
  const other = open.find((task) => isApproved(task) && isOtherCall(context, task))
  if (other !== undefined) return denyTask(context, other, `Task ${other.index + 1} was not run: ${OTHER_CALL}.`)
  const wanting = judged.filter(({ task, verdict }) => verdict.effect === 'REQUIRE' && !isApproved(task))
  const wanted = wantedFor({ open, asks, wanting }, ground?.hasStrangers === true)
  return wanted.length === 0 ? null : askApprovals(context, plan, wanted)
}

const OTHER_CALL = 'the tool, or what it is called with, is another one than what was approved'

/** An approval covers the tool as it was described, and its arguments. What is not there is not called in any case. */
function isOtherCall(context: Pick<TurnContext, 'tools'>, task: TaskState): boolean {
  const approved = task.approval?.fingerprint ?? null
  const now = fingerprintOf(context, task)
  return approved !== null && now !== null && approved !== now
}

/** What is in the rows, where it matters: null where no rule can ask for an approval. */
async function groundOf(
  {
    config,
    database,
    sessionId,
    turn,
    delegated,
  }: Pick<TurnContext, 'sessionId' | 'turn' | 'config' | 'database' | 'delegated'>,
  plan: PlanState,
  { user, asks }: OpenTasks,
): Promise<ApprovalGround | null> {
  const { rules, fallback, plansWithStrangers } = config.current().approvals
  // Once something of it has run, or was asked about, the plan is no longer approved as a whole.
  const isUntouched = plan.tasks.every((task) => task.status === 'PENDING' && task.approval === null)
  const mayAsk = asks === 'EACH' || (asks === 'PLAN' && isUntouched)
  const asksForPlan = plansWithStrangers && user.role === 'ADMIN' && mayAsk
  const asksForTasks = fallback === 'REQUIRE' || rules.some(({ effect }) => effect === 'REQUIRE')
  if (!asksForPlan && !asksForTasks) return null
  // No read where no rule asks: the start of a command would wait for it, and the plan's commit would go alone.
  const remembered = asksForTasks ? await loadRemembered(database, { sessionId, userName: turn.userName }) : []
  return { remembered, hasStrangers: asksForPlan && (delegated.strangers || turn.saidBefore.hasStrangers) }
}

interface ApprovalGround {
  /** What was approved for the session of this user. */
  readonly remembered: readonly Remembered[]
  /** An untrusted sender has written in the session, and this plan needs an approval as a whole for that. */
  readonly hasStrangers: boolean
}

interface Judged {
  readonly task: TaskState
  readonly verdict: ApprovalVerdict
}

function wantedOf({ task, verdict }: Judged): WantedApproval {
  return { task, kind: 'TASK', reason: `${verdict.reason}.` }
}

function wantedFor(
  { open, asks, wanting }: Pick<OpenTasks, 'open' | 'asks'> & { readonly wanting: readonly Judged[] },
  hasStrangers: boolean,
): readonly WantedApproval[] {
  if (!hasStrangers) return wanting.map(wantedOf)
  if (asks !== 'EACH') return [wholePlan(open, wanting)]
  const unasked = open.filter(({ approval }) => approval?.status !== 'APPROVED')
  return unasked.map((task) => ({
    task,
    kind: 'TASK',
    reason: `${STRANGERS}, so each call needs an approval (plans_with_strangers).`,
  }))
}

const STRANGERS = 'People whom nobody knows have written in this session'

function wholePlan(open: readonly TaskState[], wanting: readonly Judged[]): WantedApproval {
  const [task] = open
  const rules = wanting.map((one) => ` Task ${one.task.index + 1}: ${one.verdict.reason}.`).join('')
  const reason = `${STRANGERS}, so the whole plan needs an approval (plans_with_strangers).${rules}`
  return { task: must(task, 'a plan is judged for its tasks'), kind: 'PLAN', reason }
}

/**
 * A task may not run: it was denied, was not approved in time, or the policy forbids it. It fails with the reason, and
 * its plan is given up as after a review that asks for another. `reason`: a whole sentence, for people and the planner.
 */
function denyTask(context: TaskContext, task: TaskState, reason: string): ReplanWanted {
  const overdue = withdrawApproval(context, task, 'EXPIRED')
  updateTask(context, task, {
    patch: {
      status: 'FAILED',
      stderr: reason,
      reviewVerdict: 'REPLAN',
      reviewReason: reason,
      finishedAt: context.clock.now(),
    },
    before: [...overdue.events, { type: 'Review', taskId: task.id, verdict: 'REPLAN', reason, learningId: null }],
    changes: overdue.changes,
  })
  return { kind: 'ReplanWanted', task, reason }
}
