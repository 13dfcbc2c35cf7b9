/**
 * The conversation as planner and messenger are shown it: who said what and when, and what was answered. Only what
 * stands before a block is the server's word for it.
 */
import type { Dialogue, DialogueMessage, Exchange } from '../../core/dialogue.ts'
import { timesIn } from '../../core/text/zoned-time.ts'
import type { Fence, FenceLabel } from './fence.ts'
import { nameUser } from './name-sender.ts'

/** Only what was said longer before the message above it was dated back; less is the clocks of two processes. */
const CLOCKS_DIFFER_MS = 60_000

interface DialogueStyle {
  readonly timeZone: string
  /** How far the words of known users are to be believed: the planner takes them for more than data. */
  readonly label: Extract<FenceLabel, 'EARLIER_MESSAGE' | 'DATA_MESSAGE'>
}

/** No section where nothing was said. */
export function describeDialogue(
  { exchanges, leftOut }: Dialogue,
  { timeZone, label }: DialogueStyle,
  fence: Fence,
): string[] {
  const timeOf = timesIn(timeZone)
  const gap = leftOut ? ['Older messages are left out, because there are too many.'] : []
  if (exchanges.length === 0 && gap.length === 0) return []
  let newestMs = -Infinity
  const headline = ({ user, role, at }: DialogueMessage): string => {
    const saidAtMs = Date.parse(at)
    const isLate = saidAtMs < newestMs - CLOCKS_DIFFER_MS
    newestMs = Math.max(newestMs, saidAtMs)
    const name = user === null ? 'no name' : nameUser(user)
    return `${name} (${role}), ${timeOf(new Date(saidAtMs))}${isLate ? ', put on record later' : ''}:`
  }
  const describe = ({ messages, answers }: Exchange): string =>
    [
      ...messages.map((message) => `${headline(message)}\n${fence.wrap(label, message.content)}`),
      ...answers.map(({ text, at }) => `Answered, ${timeOf(new Date(at))}:\n${fence.wrap('DATA_ANSWER', text)}`),
    ].join('\n')
  return [`# What was said before, oldest first\n\n${[...gap, ...exchanges.map(describe)].join('\n\n')}`]
}
