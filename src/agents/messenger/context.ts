/** The prompt of the messenger (spec 4): what to say, and what it may state; never the conversation. */
import { SILENCE_MARKER } from '../../core/text/silence-filter.ts'
import type { MessengerContext } from '../agent.ts'
import type { Fence } from '../fence.ts'
import { describeFacts, describeSummary } from '../knowledge-sections.ts'
import { describeTasks } from '../task-report.ts'

const SILENCE = `# Silence

This is a group, and the message was not addressed to you. If you are told below to stay silent, answer ${SILENCE_MARKER} and nothing else: then nobody is told anything.`

export function renderMessengerPrompt(context: MessengerContext, fence: Fence): string {
  const { goal, detail, outputs, mayBeSilent, summary, facts } = context
  const ran = outputs.filter((task) => task.type !== 'MSG')
  return [
    fence.announcement,
    ...describeSummary(summary, fence),
    ...describeFacts(facts, fence),
    ...(mayBeSilent ? [SILENCE] : []),
    `# The goal of the plan\n\n${fence.wrap('GOAL', goal)}`,
    `# What to say\n\n${fence.wrap('DETAIL', detail)}`,
    `# Tasks that ran before, in order\n\n${describeTasks(ran, fence)}`,
  ].join('\n\n')
}
