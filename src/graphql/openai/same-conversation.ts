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

/** A text that a client repeats. */
export interface RepeatedText extends SpokenText {
  /** The answer before it asked for a decision: it tells what came of that, too, before what is its own. */
  readonly coversDecision: boolean
}

interface RepeatedExchange extends Exchange {
  readonly coversDecision: boolean
}

/** How many of the last exchanges are compared; the first message is, besides, how sessions are found. */
export const COMPARED = 20
/** What stands in the log in place of a secret. */
const REDACTED = '[REDACTED]'

/**
 * `history` ends before the new message `text`; `exchanges` are the last of the session, in order. Messages that were
 * said twice in a row count once, as when a client asks for another answer.
 */
export function matchConversation(
  history: readonly RepeatedText[],
  text: string,
  exchanges: readonly Exchange[],
): Match {
  const stored = collapse(exchanges)
  const repeated = exchangesIn(history)
  if (repeated.length > 0 && isTail(repeated, stored)) return 'NEXT'
  const last = stored.at(-1)
  if (last === undefined || !isSame(last.said, text)) return null
  return isTail(repeated, stored.slice(0, -1)) ? 'AGAIN' : null
}

/** Both must be of one length, as far as is compared: a longer session has gone on elsewhere. */
function isTail(repeated: readonly RepeatedExchange[], stored: readonly Exchange[]): boolean {
  const [ours, theirs] = [stored.slice(-COMPARED), repeated.slice(-COMPARED)]
  if (ours.length !== theirs.length) return false
  return theirs.every(({ said, answer, coversDecision }, index) => {
    const mine = ours[index]
    if (mine === undefined || !isSame(mine.said, said)) return false
    return isBeginning(answer, mine.answer) || (coversDecision && endsWithBeginning(answer, mine.answer))
  })
}

function exchangesIn(history: readonly RepeatedText[]): RepeatedExchange[] {
  const repeated: { said: string; answer: string; coversDecision: boolean }[] = []
  for (const { role, text, coversDecision } of history) {
    const last = repeated.at(-1)
    if (role === 'assistant') {
      if (last === undefined) continue
      last.answer = last.answer === '' ? text : `${last.answer}\n\n${text}`
      last.coversDecision ||= coversDecision
    } else if (last?.said.trim() !== text.trim()) repeated.push({ said: text, answer: '', coversDecision })
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

/** Paragraphs of other answers stand before it. Nothing is copied: a client may repeat a megabyte of empty lines. */
function endsWithBeginning(repeated: string, stored: string): boolean {
  const [text, whole] = [repeated.trim(), stored.trim()]
  for (const { 0: gap, index } of text.matchAll(/\n\n\s*/g)) {
    const start = index + gap.length
    if (text.length - start <= whole.length && whole.startsWith(text.slice(start))) return true
  }
  return false
}

/** `stored`: without its secrets. */
export function isSame(stored: string, repeated: string): boolean {
  const parts = stored.trim().split(REDACTED)
  const text = repeated.trim()
  if (parts.length === 1) return stored.trim() === text
  let at = 0
  for (const [index, part] of parts.entries()) {
    const found = text.indexOf(part, at)
    if (found < 0 || (index === 0 && found !== 0)) return false
    at = found + part.length
  }
  return text.endsWith(parts.at(-1) ?? '')
}
