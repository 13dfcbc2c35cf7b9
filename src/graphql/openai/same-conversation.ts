/**
 * Whether a session is the conversation that a client repeats. Most clients of OpenAI's API send all that was said and
 * name no session; theirs is found by what was said in it.
 */
import type { SpokenText } from './ask.ts'

/** A message of a person, and what the agent said to it. */
export interface Exchange {
  readonly said: string
  readonly answer: string
}

/** `NEXT`: the new message comes next in it. `AGAIN`: the new message is its last already. */
export type Match = 'NEXT' | 'AGAIN' | null

/** How many of the last exchanges are compared; the first message is, besides, how sessions are found. */
export const COMPARED = 20
/** What stands in the log in place of a secret. */
const REDACTED = '[REDACTED]'

/**
 * `history` ends before the new message `text`; `exchanges` are the last of the session, in order. Messages that were
 * said twice in a row count once, as when a client asks for another answer.
 */
export function matchConversation(history: readonly SpokenText[], text: string, exchanges: readonly Exchange[]): Match {
  const stored = collapse(exchanges)
  const repeated = tellExchanges(history)
  if (repeated.length > 0 && isTail(repeated, stored)) return 'NEXT'
  const last = stored.at(-1)
  if (last === undefined || !isSame(last.said, text)) return null
  return isTail(repeated, stored.slice(0, -1)) ? 'AGAIN' : null
}

/** Both must be of one length, as far as is compared: a longer session has gone on elsewhere. */
function isTail(repeated: readonly Exchange[], stored: readonly Exchange[]): boolean {
  const [ours, theirs] = [stored.slice(-COMPARED), repeated.slice(-COMPARED)]
  if (ours.length !== theirs.length) return false
  return theirs.every(({ said, answer }, index) => {
    const mine = ours[index]
    return mine !== undefined && isSame(mine.said, said) && isBeginning(answer, mine.answer)
  })
}

function tellExchanges(history: readonly SpokenText[]): Exchange[] {
  const repeated: { said: string; answer: string }[] = []
  for (const { role, text } of history) {
    const last = repeated.at(-1)
    if (role === 'assistant') {
      if (last !== undefined) last.answer = last.answer === '' ? text : `${last.answer}\n\n${text}`
    } else if (last?.said.trim() !== text.trim()) repeated.push({ said: text, answer: '' })
    else last.answer = ''
  }
  return repeated
}

function collapse(exchanges: readonly Exchange[]): Exchange[] {
  return exchanges.filter(({ said }, index) => exchanges[index + 1]?.said.trim() !== said.trim())
}

/** Clients trim, and keep what had come of an answer that they cut off: of one that they stopped early, nothing. */
function isBeginning(repeated: string, stored: string): boolean {
  return stored.trim().startsWith(repeated.trim())
}

/** `stored`: without its secrets. */
export function isSame(stored: string, repeated: string): boolean {
  const parts = stored.trim().split(REDACTED)
  const text = repeated.trim()
  if (parts.length === 1) return stored.trim() === text
  let at = 0
  for (const part of parts) {
    const found = text.indexOf(part, at)
    if (found < 0 || (at === 0 && found !== 0)) return false
    at = found + part.length
  }
  return text.endsWith(parts.at(-1) ?? '')
}
