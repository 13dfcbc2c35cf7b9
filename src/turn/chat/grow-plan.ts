/** The one plan of a conversation's turn: it is stored with its first task, and grows by each answer of the model. */
import type { PlannerContext } from '../../agents/agent.ts'
import { currentUser } from '../../config/access/current-user.ts'
import type { SessionEventBody } from '../../core/session-event.ts'
import type { NewTask, TaskPatch, TurnWrite } from '../../core/turn-write.ts'
import { newId } from '../../platform/id.ts'
import { redactTexts } from '../../secrets/free-texts.ts'
import { NEW_TASK_TEXTS } from '../../secrets/turn-texts.ts'
import { describeRights } from '../audit-rights.ts'
import type { HookContext } from '../hooks/hook-data.ts'
import { notifyCreated } from '../hooks/task-hooks.ts'
import { auditTask } from '../task/audit-task.ts'
import { NOT_BEGUN, type PlanState, type TaskState } from '../task/plan-state.ts'
import type { TaskContext, TurnContext } from '../turn-context.ts'

const ANSWER = 'Answer the message.'

/** `known`: what the model knew from before when it answered first. */
export function planOf(
  context: Pick<TurnContext, 'turn' | 'journal' | 'config' | 'clock'>,
  attempts: PlanState[],
  known: Pick<PlannerContext, 'summary' | 'facts' | 'pluginSections'> &
    Partial<Pick<PlannerContext, 'questions'>> & { readonly goal?: string },
): PlanState {
  const there = attempts.at(-1)
  if (there !== undefined) return there
  const id = newId('plan')
  const rights = describeRights(currentUser(context.config.current(), context.turn.userName))
  const { summary, facts, pluginSections, goal = ANSWER } = known
  const plan: PlanState = {
    id,
    attempt: 1,
    goal,
    rights,
    tasks: [],
    known: { summary, facts, pluginSections },
    before: [],
    history: [],
  }
  const createdAt = context.clock.now()
  context.journal.record([{ type: 'PlanCreated', planId: id }], {
    plans: [{ id, attempt: 1, goal, rights, replanReason: null, secretNames: [], createdAt }],
    ...shownOf(known),
  })
  attempts.push(plan)
  return plan
}

/** What the model was shown of what is known and asked, to be stored. */
export function shownOf({
  facts,
  questions = [],
}: Pick<PlannerContext, 'facts'> & Partial<Pick<PlannerContext, 'questions'>>): Pick<
  TurnWrite,
  'factsShown' | 'questionsAsked'
> {
  return { factsShown: facts.map(({ id }) => id), questionsAsked: questions.map(({ id }) => id) }
}

/** A task that an answer adds; `callId` is what the model calls it by, null for a text. */
export type AddedTask = Pick<NewTask, 'type' | 'detail' | 'skill' | 'args'> & {
  readonly tool: string | null
  readonly round: number
  readonly callId: string | null
  /** `status`: RUNNING, or PENDING when left out; or how a call ended that is not made at all. */
  readonly patch: TaskPatch
}

/** Adds a task to the plan, without secrets, and notifies of it. */
export function addTask(
  context: TaskContext & HookContext,
  plan: PlanState,
  { patch, ...added }: AddedTask,
): TaskState {
  const id = newId('task')
  const index = plan.tasks.length
  const redacted = redactTexts({ ...added, id, planId: plan.id, patch }, NEW_TASK_TEXTS, context.secrets.redactor())
  const { status = 'PENDING', output = null, stderr = null, startedAt } = redacted.patch
  const task: TaskState = {
    ...without(redacted),
    index,
    expect: null,
    ...NOT_BEGUN,
    status,
    output,
    stderr,
    ...(startedAt === undefined ? {} : { startedAt }),
  }
  const event: SessionEventBody = { type: 'TaskUpdate', taskId: id, status }
  context.journal.record([event], {
    tasks: [{ ...redacted, index, expect: null }],
    audit: auditTask(context, task, { patch }),
  })
  plan.tasks.push(task)
  notifyCreated(context, { tasks: [task] })
  return task
}

function without<T extends { readonly planId: string; readonly patch: TaskPatch }>({
  planId: _planId,
  patch: _patch,
  ...rest
}: T): Omit<T, 'planId' | 'patch'> {
  return rest
}
