/** The prompt of the summarizer: the summary so far, and the messages to add with what was answered. */
import { timesIn, type Moment } from '../../core/text/zoned-time.ts'
import type { SummarizerContext } from '../agent.ts'
import { openPrompt, type Fence } from '../prompt/fence.ts'
import { nameSender } from '../prompt/name-sender.ts'
import { preview } from '../prompt/preview.ts'

const MAX_MESSAGE_CHARS = 8_000

export interface SummarizerPrompt {
  readonly context: SummarizerContext
  /** Of all messages and answers together: where they are longer, each gets its share. */
  readonly maxAllChars: number
}

export function renderSummarizerPrompt(
  { context: { summary, messages }, maxAllChars }: SummarizerPrompt,
  fence: Fence,
  moment: Moment,
): string {
  const lengths = messages.flatMap(({ content, outputs }) => [content, ...outputs].map((text) => text.length))
  const isTooLong = lengths.reduce((sum, length) => sum + length, 0) > maxAllChars
  const share = isTooLong ? Math.floor(maxAllChars / lengths.length) : MAX_MESSAGE_CHARS
  const maxChars = Math.min(MAX_MESSAGE_CHARS, share)
  const timeOf = timesIn(moment.timeZone)
  const added = messages.map(({ user, role, content, at, outputs }, index) =>
    [
      // Not only users: a stranger's message, retold, is summarised too.
      `Message ${index + 1}, by ${nameSender(user)} (${role}), ${timeOf(new Date(at))}:`,
      fence.wrap('DATA_MESSAGE', preview(content, { maxChars })),
      ...outputs.flatMap((output) => ['Answered:', fence.wrap('DATA_ANSWER', preview(output, { maxChars }))]),
    ].join('\n'),
  )
  return [
    openPrompt(fence, moment),
    `# The summary so far\n\n${summary === '' ? 'None yet.' : fence.wrap('DATA_SUMMARY', summary)}`,
    `# Messages to add, oldest first\n\n${added.join('\n\n')}`,
  ].join('\n\n')
}
