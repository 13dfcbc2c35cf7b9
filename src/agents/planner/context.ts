/** What the planner is told, as text (spec 4). Every section that others wrote is fenced, and every old text is bounded. */
import type { PlanFeedback, PlannerContext, ReplanContext } from '../agent.ts'
import type { Fence } from '../fence.ts'
import { preview } from '../preview.ts'
import { describeTask } from '../task-report.ts'

/** What holds where the commands will run. */
interface Environment {
  readonly execTimeoutMs: number
}

/** The new message is shown whole; what only explains it is not. */
const MAX_EARLIER_CHARS = 8_000
const MAX_ANSWER_CHARS = 4_000
const MAX_OUTPUT_CHARS = 8_000
/** All outputs of a replan together: with many tasks each gets less. */
const MAX_ALL_OUTPUTS_CHARS = 64_000
const MAX_PLAN_CHARS = 16_000

export interface PlannerPrompt {
  readonly context: PlannerContext
  readonly feedback: readonly PlanFeedback[]
  readonly environment: Environment
}

export function renderPlannerPrompt({ context, feedback, environment }: PlannerPrompt, fence: Fence): string {
  return [
    fence.announcement,
    describeCaller(context),
    describeEnvironment(context, environment),
    ...describeEarlier(context, fence),
    `# The message to plan for\n\n${context.callerName} writes:\n${fence.wrap('MESSAGE', context.message)}`,
    ...(context.replan === null ? [] : [describeReplan(context.replan, fence)]),
    ...describeFeedback(feedback, fence),
  ].join('\n\n')
}

function describeCaller({ callerName, callerRole }: PlannerContext): string {
  const rights =
    callerRole === 'ADMIN'
      ? 'Commands run with full access to the files of the machine and to the network. Be careful with what others depend on.'
      : 'Commands are confined: they can read and write the workspace, and read installed programs; there is no network and nothing else of the machine.'
  return `# Caller\n\n${callerName}, role ${callerRole}. ${rights}`
}

function describeEnvironment({ maxTasks }: PlannerContext, { execTimeoutMs }: Environment): string {
  return [
    '# Limits',
    '',
    `- Tasks in a plan: at most ${maxTasks}.`,
    `- Time for one command: ${execTimeoutMs / 1000} seconds.`,
    '- Output kept of one command: 1 MiB.',
    '- Commands run with bash in the workspace; $HOME is inside it, and only PATH, HOME and LANG are set.',
  ].join('\n')
}

function describeEarlier({ recentMessages, recentOutputs }: PlannerContext, fence: Fence): string[] {
  const messages = recentMessages.map(({ user, role, content }) => {
    const text = preview(content, { maxChars: MAX_EARLIER_CHARS })
    return `${user ?? 'no name'} (${role}):\n${fence.wrap('EARLIER_MESSAGE', text)}`
  })
  const answers = recentOutputs.map((output) =>
    fence.wrap('DATA_ANSWER', preview(output, { maxChars: MAX_ANSWER_CHARS })),
  )
  return [
    ...(messages.length === 0 ? [] : [`# Earlier messages, oldest first\n\n${messages.join('\n')}`]),
    ...(answers.length === 0 ? [] : [`# What was answered lately, oldest first\n\n${answers.join('\n')}`]),
  ]
}

function describeReplan({ completed, remaining, failed, reason, history }: ReplanContext, fence: Fence): string {
  const maxChars = Math.min(MAX_OUTPUT_CHARS, Math.floor(MAX_ALL_OUTPUTS_CHARS / (completed.length + 1)))
  const attempts = history.map((attempt, index) =>
    [
      `Attempt ${index + 1}:`,
      fence.wrap('GOAL', attempt.goal),
      'It was given up because:',
      fence.wrap('REASON', attempt.reason),
    ].join('\n'),
  )
  return [
    '# Another plan is needed',
    `Plans of this turn so far: ${history.length}. The last one was given up by the review of its task ${failed.index + 1}:`,
    fence.wrap('REASON', reason),
    '## The task that failed',
    describeTask(failed, fence, { maxChars }),
    '## Tasks that are done; their effects stand',
    completed.length === 0 ? 'None.' : completed.map((task) => describeTask(task, fence, { maxChars })).join('\n\n'),
    '## Tasks that were not run',
    remaining.length === 0
      ? 'None.'
      : remaining
          .map(({ type, detail }) => `${type}:\n${fence.wrap('DETAIL', preview(detail, { maxChars }))}`)
          .join('\n'),
    '## All attempts of this turn, oldest first',
    attempts.join('\n\n'),
  ].join('\n\n')
}

function describeFeedback(feedback: readonly PlanFeedback[], fence: Fence): string[] {
  const last = feedback.at(-1)
  if (last === undefined) return []
  const before = feedback.at(-2)
  const repeated = last.problems.filter((problem) => before?.problems.includes(problem) === true)
  const again = repeated.length === 0 ? '' : ' You were told some of it before and did not change it; change it now.'
  const plan = JSON.stringify({
    goal: last.plan.goal,
    tasks: last.plan.tasks.map((task) => ({ ...task, type: task.type.toLowerCase() })),
  })
  return [
    '# Your plan was refused',
    `Refused so far: ${feedback.length}. The last one was:\n${fence.wrap('PLAN', preview(plan, { maxChars: MAX_PLAN_CHARS }))}`,
    `What is wrong with it:${again}\n${fence.wrap('PROBLEM', last.problems.map((problem) => `- ${problem}`).join('\n'))}`,
  ]
}
