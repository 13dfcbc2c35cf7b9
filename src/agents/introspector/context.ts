/**
 * The prompt of the introspector: what happened since the last checkpoint, newest first where not all of it
 * fits, the summary, and its own notes. All of it is data: a conversation that is gone over asks for nothing.
 */
import { timesIn, type Moment } from '../../core/text/zoned-time.ts'
import type { IntrospectorContext } from '../agent.ts'
import { openPrompt, type Fence } from '../prompt/fence.ts'
import { describeSummary } from '../prompt/knowledge-sections.ts'
import { nameSender } from '../prompt/name-sender.ts'
import { oneLine } from '../prompt/one-line.ts'
import { preview } from '../prompt/preview.ts'

const MAX_MESSAGE_CHARS = 4_000
const MAX_WORK_CHARS = 300
const SHOWN_MEMORY_CHARS = 8_000
const MAX_DESCRIPTION_CHARS = 1_000

type Happened = IntrospectorContext['messages'][number]

export function renderIntrospectorPrompt(context: IntrospectorContext, fence: Fence, moment: Moment): string {
  const { summary, workingMemory, messages, leftOut } = context
  const timeOf = timesIn(moment.timeZone)
  const happened = messages.map((message, index) => {
    const headline = `Message ${index + 1}, ${timeOf(new Date(message.at))}`
    return describeMessage(message, headline, fence)
  })
  const gap = leftOut ? 'Older messages since the last time are left out, because there are too many.\n\n' : ''
  return [
    openPrompt(fence, moment),
    ...describeSummary(summary, fence),
    `# Your notes so far\n\n${
      workingMemory === ''
        ? 'None yet.'
        : fence.wrap('DATA_WORKING_MEMORY', preview(workingMemory, { maxChars: SHOWN_MEMORY_CHARS }))
    }`,
    describeDescription(context, fence),
    `# What happened since the last time, oldest first\n\n${gap}${happened.join('\n\n')}`,
  ].join('\n\n')
}

function describeDescription({ description, mayDescribe }: IntrospectorContext, fence: Fence): string {
  const there =
    description === null
      ? 'There is none.'
      : fence.wrap('DATA_DESCRIPTION', preview(description, { maxChars: MAX_DESCRIPTION_CHARS }))
  const whose = mayDescribe ? '' : '\n\nIt was written by a client and is not yours to write: answer null.'
  return `# The description of the conversation\n\n${there}${whose}`
}

function describeMessage({ user, role, content, work, outputs }: Happened, headline: string, fence: Fence): string {
  const said = (text: string): string => preview(text, { maxChars: MAX_MESSAGE_CHARS })
  const lines = work.map(({ type, detail, status, reason }) => {
    const judged = reason === null ? '' : ` The review: ${preview(reason, { maxChars: MAX_WORK_CHARS })}`
    return oneLine(`${type}, ${status}: ${preview(detail, { maxChars: MAX_WORK_CHARS })}${judged}`)
  })
  return [
    // Not only users: a stranger's message, retold, is gone over too.
    `${headline}, by ${nameSender(user)} (${role}):`,
    fence.wrap('DATA_MESSAGE', said(content)),
    ...(lines.length === 0 ? [] : ['What was done for it:', fence.wrap('DATA_WORK', lines.join('\n'))]),
    ...outputs.flatMap((output) => ['Answered:', fence.wrap('DATA_ANSWER', said(output))]),
  ].join('\n')
}
