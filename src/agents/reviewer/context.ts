/** The prompt of the reviewer: the goal, the message, the task with its result, and what was tried before. */
import type { Moment } from '../../core/text/zoned-time.ts'
import type { ReviewerContext } from '../agent.ts'
import { openPrompt, type Fence } from '../prompt/fence.ts'
import { describeAttempts } from '../prompt/knowledge-sections.ts'
import { preview } from '../prompt/preview.ts'
import { describeTask } from '../prompt/task-report.ts'

const MAX_OUTPUT_CHARS = 16_000
const MAX_MESSAGE_CHARS = 8_000

export function renderReviewerPrompt(context: ReviewerContext, fence: Fence, moment: Moment): string {
  const { goal, message, task, history } = context
  return [
    openPrompt(fence, moment),
    `# The user's message\n\n${fence.wrap('MESSAGE', preview(message, { maxChars: MAX_MESSAGE_CHARS }))}`,
    ...(history.length === 0 ? [] : [`# What was tried before in this turn\n\n${describeAttempts(history, fence)}`]),
    `# The goal of the plan\n\n${fence.wrap('GOAL', goal)}`,
    `# The task to judge\n\n${describeTask(task, fence, { maxChars: MAX_OUTPUT_CHARS })}`,
  ].join('\n\n')
}
