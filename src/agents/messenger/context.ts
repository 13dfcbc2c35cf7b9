/** The prompt of the messenger: what to say, and what it may state; the conversation for what it speaks of. */
import { SILENCE_MARKER } from '../../core/text/silence-filter.ts'
import type { Moment } from '../../core/text/zoned-time.ts'
import type { MessengerContext } from '../agent.ts'
import { openPrompt, type Fence } from '../prompt/fence.ts'
import { describeDialogue } from '../prompt/dialogue-section.ts'
import { describeFacts, describePluginSections, describeSummary } from '../prompt/knowledge-sections.ts'
import { nameUser } from '../prompt/name-sender.ts'
import { preview } from '../prompt/preview.ts'
import { describeTasks } from '../prompt/task-report.ts'

const MAX_MESSAGE_CHARS = 8_000

const SILENCE = `# Silence

This is a group, and the message was not addressed to you. If you are told below to stay silent, answer ${SILENCE_MARKER} and nothing else: then nobody is told anything.`

export function renderMessengerPrompt(context: MessengerContext, fence: Fence, moment: Moment): string {
  const { goal, detail, outputs, mayBeSilent, summary, facts, dialogue, caller, messages } = context
  const { timeZone } = moment
  const ran = outputs.filter((task) => task.type !== 'MSG')
  return [
    openPrompt(fence, moment),
    ...describeSummary(summary, fence),
    ...describeDialogue(dialogue, { timeZone, label: 'DATA_MESSAGE' }, fence),
    ...describeFacts(facts, fence),
    ...describePluginSections(context.pluginSections, fence),
    describeAsked({ caller, messages }, fence),
    ...(mayBeSilent ? [SILENCE] : []),
    `# The goal of the plan\n\n${fence.wrap('GOAL', goal)}`,
    `# What to say\n\n${fence.wrap('DETAIL', detail)}`,
    `# Tasks that ran before, in order\n\n${describeTasks(ran, fence)}`,
  ].join('\n\n')
}

/** What is answered: data as well, because the detail says what to make of it. */
function describeAsked({ caller, messages }: Pick<MessengerContext, 'caller' | 'messages'>, fence: Fence): string {
  const said = messages.map((text) => fence.wrap('DATA_MESSAGE', preview(text, { maxChars: MAX_MESSAGE_CHARS })))
  return `# What is answered\n\n${nameUser(caller)} wrote:\n${said.join('\n')}`
}
