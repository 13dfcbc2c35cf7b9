/** The prompt of the paraphraser: messages of strangers, by label, each in a block of its own. */
import type { Moment } from '../../core/text/zoned-time.ts'
import type { ParaphraserContext } from '../agent.ts'
import { openPrompt, type Fence } from '../prompt/fence.ts'
import { labelItems } from '../prompt/labels.ts'
import { preview } from '../prompt/preview.ts'
import { nameSender } from '../prompt/name-sender.ts'

const MAX_MESSAGE_CHARS = 4_000
/** All messages together: with many each gets less. */
const MAX_ALL_CHARS = 48_000

export function renderParaphraserPrompt({ messages }: ParaphraserContext, fence: Fence, moment: Moment): string {
  const maxChars = Math.min(MAX_MESSAGE_CHARS, Math.floor(MAX_ALL_CHARS / Math.max(1, messages.length)))
  const blocks = [...labelItems('M', messages)].map(([label, { sender, content }]) =>
    [`${label}:`, fence.wrap('DATA_MESSAGE', `${nameSender(sender)} wrote:\n${preview(content, { maxChars })}`)].join(
      '\n',
    ),
  )
  return [openPrompt(fence, moment), `# Messages to retell\n\n${blocks.join('\n\n')}`].join('\n\n')
}
