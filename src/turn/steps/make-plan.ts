/**
 * PLANNING, PLANNED, VALIDATION: asks the planner until its plan obeys the rules, at most `max_validation_retries`
 * times more, then stores the plan and its tasks. Nothing runs before they are committed (`executePlan` passes the
 * journal's barrier).
 */
import type { PlanFeedback, PlannerContext } from '../../agents/agent.ts'
import { withoutTexts, type ModelCallRecord } from '../../core/model-call.ts'
import type { ProposedPlan } from '../../core/plan/plan.ts'
import type { JsonObject } from '../../core/tool/json.ts'
import { argumentProblems } from '../../tools/check-arguments.ts'
import { validatePlan, type PlanLimits } from '../../core/plan/plan-rules.ts'
import { newId } from '../../platform/id.ts'
import { approvalProblems } from '../approvals/approval-problems.ts'
import { currentUser } from '../../config/access/current-user.ts'
import { completeTasks, taskKey, type CompleteTask } from './complete-tasks.ts'
import { describeRights } from '../audit-rights.ts'
import {
  hasFailed,
  historyOf,
  newTaskOf,
  NOT_BEGUN,
  whyGivenUp,
  type PlanState,
  type TaskState,
} from '../task/plan-state.ts'
import { isNotice } from '../add-notice.ts'
import type { HookContext } from '../hooks/hook-data.ts'
import { notifyAnswer } from '../hooks/notify-answer.ts'
import { notifyCreated } from '../hooks/task-hooks.ts'
import { takeSecrets } from '../secrets/take-secrets.ts'
import { stopped, type Ending, type TaskContext, type TurnContext } from '../turn-context.ts'
import { unanswered } from './unanswered.ts'
import { answerQuestions, type AnsweredQuestions } from '../knowledge/answer-questions.ts'

/** A plan that is recorded, or how the turn ends. */
export type MakePlanOutcome = { readonly kind: 'Planned'; readonly plan: PlanState } | Ending

type MakePlanContext = TaskContext &
  Pick<
    TurnContext,
    'messages' | 'signal' | 'agents' | 'config' | 'database' | 'tools' | 'plugins' | 'delegated' | 'due' | 'logger'
  >

/** `attempts`: those before, all given up. A planner that gives no plan in all its tries fails the turn. */
export async function makePlan(
  context: MakePlanContext,
  planner: PlannerContext,
  attempts: readonly PlanState[],
): Promise<MakePlanOutcome> {
  const { maxValidationRetries } = context.config.current().settings
  const feedback: PlanFeedback[] = []
  const secretNames = new Set<string>()
  while (feedback.length <= maxValidationRetries) {
    const { provider, model } = context.agents.modelOf('planner')
    context.journal.record([{ type: 'PipelineStep', step: 'PLANNING', detail: `${provider}:${model}` }])
    const known = { ...planner, secretNames: [...context.secrets.ephemeral().keys()] }
    const answer = await context.agents.plan(known, feedback, context.signal)
    if (context.signal.aborted || answer.kind === 'failed')
      context.journal.record([], { modelCalls: answer.calls.map(withoutTexts) })
    if (context.signal.aborted) return stopped(context)
    if (answer.kind === 'failed')
      return await unanswered(context, answer.error, { failure: 'The planner could not make a plan.' })

    const { plan, names, problems: misused } = takeSecrets(context, answer.output)
    context.journal.record([], { modelCalls: answer.calls })
    notifyAnswer(context, { role: 'planner', text: () => JSON.stringify(plan), calls: answer.calls })
    for (const name of names) secretNames.add(name)
    const tasks = completeTasks(plan.tasks, planner.skills)
    const problems = [
      // Without secrets: a problem may quote the first characters of a name, and redaction cannot recognise half a
      // secret.
      ...validatePlan({ ...plan, secrets: answer.output.secrets }, limitsOf(planner)),
      ...misused,
      ...repetition(tasks, attempts),
      ...approvalProblems(context, tasks, attempts),
    ]
    context.journal.record([
      { type: 'PipelineStep', step: 'PLANNED', detail: describeTokens(answer.calls) },
      { type: 'PipelineStep', step: 'VALIDATION', detail: problems.length === 0 ? null : problems.join('\n') },
    ])
    if (problems.length === 0) {
      const answered = await answerQuestions(context, planner, plan.answers)
      const accepted = { planner, proposed: plan, tasks, answered, secretNames: [...secretNames] }
      return { kind: 'Planned', plan: storePlan(context, accepted, attempts) }
    }
    feedback.push({ plan, problems })
  }
  const last = feedback.at(-1)?.problems.join(' ') ?? ''
  return {
    kind: 'Failed',
    failure: `The planner made no valid plan in ${feedback.length} tries. The last one was refused: ${last}`,
  }
}

function limitsOf({ maxTasks, skills, tools }: PlannerContext): PlanLimits {
  const checked = tools.map(({ name, parameters }) => ({
    name,
    problems: (args: JsonObject) => argumentProblems(parameters as JsonObject, args),
  }))
  return { maxTasks, skills, tools: checked }
}

/**
 * The same tasks again would fail again: the planner is asked for something else, or for an explanation to the user.
 */
function repetition(tasks: readonly CompleteTask[], attempts: readonly PlanState[]): string[] {
  const keyOf = (some: readonly Parameters<typeof taskKey>[0][]): string => some.map(taskKey).join('\n')
  const key = keyOf(tasks)
  const failed = attempts.filter(hasFailed)
  const earlier = failed.find((attempt) => keyOf(attempt.tasks.filter((task) => !isNotice(task))) === key)
  if (earlier === undefined) return []
  return [
    `The tasks are the same as in attempt ${earlier.attempt}, which did not do. Try another way, or explain to the user in a single MSG task what cannot be done and why.`,
  ]
}

function describeTokens(calls: readonly ModelCallRecord[]): string {
  const sum = (of: (call: ModelCallRecord) => number): number => calls.reduce((total, call) => total + of(call), 0)
  return `${sum((call) => call.inputTokens)} input tokens, ${sum((call) => call.outputTokens)} output tokens`
}

/** A plan that obeys the rules, without secrets. */
interface Accepted {
  readonly planner: PlannerContext
  readonly proposed: ProposedPlan
  /** The tasks of it. */
  readonly tasks: readonly CompleteTask[]
  readonly answered: AnsweredQuestions
  /** Of the secrets that were found in the message. */
  readonly secretNames: readonly string[]
}

function storePlan(
  context: HookContext & Pick<TurnContext, 'journal' | 'clock'>,
  { planner, proposed, tasks: completed, answered, secretNames }: Accepted,
  attempts: readonly PlanState[],
): PlanState {
  const last = attempts.at(-1)
  const id = newId('plan')
  const tasks = completed.map((task, index): TaskState => ({
    ...task,
    id: newId('task'),
    index,
    round: null,
    callId: null,
    ...NOT_BEGUN,
  }))
  const rights = describeRights(currentUser(context.config.current(), context.turn.userName))
  const plan: PlanState = {
    id,
    attempt: (last?.attempt ?? 0) + 1,
    goal: proposed.goal,
    rights,
    tasks,
    known: { summary: planner.summary, facts: planner.facts, pluginSections: planner.pluginSections },
    before: [...attempts],
    history: historyOf(attempts),
  }
  context.journal.record([{ type: 'PlanCreated', planId: id }], {
    plans: [
      {
        id,
        attempt: plan.attempt,
        goal: plan.goal,
        rights,
        replanReason: last === undefined ? null : whyGivenUp(last),
        secretNames,
        createdAt: context.clock.now(),
      },
    ],
    tasks: tasks.map((task) => newTaskOf(task, id)),
    factsShown: [...planner.facts, ...planner.questionFacts].map((fact) => fact.id),
    factsUsed: proposed.factsUsed,
    questionsAsked: planner.questions.map((question) => question.id),
    ...answered,
  })
  notifyCreated(context, plan)
  return plan
}
