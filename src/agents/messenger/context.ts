/** What the messenger is told, as text (spec 4): what to say, and the outputs that it may quote; never the conversation. */
import type { MessengerContext } from '../agent.ts'
import type { Fence } from '../fence.ts'
import { describeTask } from '../task-report.ts'

const MAX_OUTPUT_CHARS = 8_000
/** All outputs together: with many tasks each gets less. */
const MAX_ALL_OUTPUTS_CHARS = 64_000

export function renderMessengerPrompt({ goal, detail, outputs }: MessengerContext, fence: Fence): string {
  const ran = outputs.filter((task) => task.type === 'EXEC')
  const maxChars = Math.min(MAX_OUTPUT_CHARS, Math.floor(MAX_ALL_OUTPUTS_CHARS / Math.max(1, ran.length)))
  return [
    fence.announcement,
    `# The goal of the plan\n\n${fence.wrap('GOAL', goal)}`,
    `# What to say\n\n${fence.wrap('DETAIL', detail)}`,
    `# Commands that ran before, in order\n\n${ran.length === 0 ? 'None.' : ran.map((task) => describeTask(task, fence, { maxChars })).join('\n\n')}`,
  ].join('\n\n')
}
