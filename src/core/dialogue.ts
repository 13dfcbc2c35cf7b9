/**
 * What was said in a session before a turn, as its agents are shown it: each message with what was answered, in order.
 * Messages that one turn served together stand together. What does not fit is left out from the oldest end.
 */
import type { MessageRole } from './status.ts'

export interface DialogueMessage {
  readonly user: string | null
  readonly role: MessageRole
  readonly content: string
  /** When it was said, in a format that Date reads. */
  readonly at: string
}

export interface Exchange {
  /** The turn that served the messages; null: they had none. */
  readonly turnId: string | null
  /** Oldest first. */
  readonly messages: readonly DialogueMessage[]
  /** What the agent said to them, oldest first; none where it stayed silent or was not asked. */
  readonly answers: readonly { readonly text: string; readonly at: string }[]
}

export interface Dialogue {
  /** Oldest first. */
  readonly exchanges: readonly Exchange[]
  /** Something older is neither here nor in the summary. */
  readonly leftOut: boolean
  /** The next exchanges may not fit any more: it is time to summarise what is oldest. */
  readonly isNearlyFull: boolean
}

/** The rows of a dialogue: what is in no summary, up to a limit in number. */
export interface SaidRows {
  /** In the order in which they came. `turnId`: of the turn that served it, or took it along; null: it had none. */
  readonly messages: readonly (DialogueMessage & { readonly turnId: string | null })[]
  /** In the order in which they were given. */
  readonly answers: readonly { readonly turnId: string; readonly text: string; readonly at: string }[]
  /** There is more. */
  readonly hasMore: boolean
}

/** A session's rows as a process holds them, so that its next turn need not read them. */
export interface HeldRows {
  readonly rows: SaidRows
  /** They hold all that was said up to this event of the log, which this turn wrote as its last. */
  readonly seq: number
  readonly turnId: string
}

export const NO_DIALOGUE: Dialogue = { exchanges: [], leftOut: false, isNearlyFull: false }

/** How many messages are read at most. Bounded, so that a turn costs the same in an old session. */
export const RECENT_MESSAGES = 60
/** Longer texts are cut: agents need what was said, not all of it. */
export const RECENT_TEXT_CHARS = 4000

/** The rows with one more turn, cut as they are when they are read. */
export function holdRows(
  before: SaidRows,
  { message, answers }: { readonly message: SaidRows['messages'][number]; readonly answers: SaidRows['answers'] },
): SaidRows {
  const all = [...before.messages, { ...message, content: firstChars(message.content) }]
  const messages = all.slice(-RECENT_MESSAGES)
  const turnIds = new Set(messages.map(({ turnId }) => turnId))
  const added = answers.map((answer) => ({ ...answer, text: firstChars(answer.text) }))
  return {
    messages,
    answers: [...before.answers.filter(({ turnId }) => turnIds.has(turnId)), ...added],
    hasMore: before.hasMore || all.length > messages.length,
  }
}

/** Whole characters, as PostgreSQL counts them. */
function firstChars(text: string): string {
  return text.length <= RECENT_TEXT_CHARS ? text : Array.from(text).slice(0, RECENT_TEXT_CHARS).join('')
}

/** So many bytes of UTF-8 count as a token; what a model makes of a text differs, and this is about the average. */
export const BYTES_PER_TOKEN = 4

const SUMMARISED_CHARS = { least: 8_000, most: 60_000 }

/**
 * How much of what was said is summarised, or gone over by the introspector, at once: twice what other agents are shown
 * of it, so that lowering `context_tokens` for a model that reads little makes summaries and checkpoints possible too.
 */
export function summarisedChars(contextTokens: number): number {
  const { least, most } = SUMMARISED_CHARS
  return Math.min(Math.max(2 * contextTokens * BYTES_PER_TOKEN, least), most)
}

const NEARLY_FULL = 0.75

/** The newest exchanges that fit into so many tokens; of the newest as much as fits. */
export function pairDialogue(rows: SaidRows, contextTokens: number): Dialogue {
  const all = pair(rows)
  const space = contextTokens * BYTES_PER_TOKEN
  let left = space
  const from = all.findLastIndex((exchange) => (left -= bytesOf(exchange)) < 0) + 1
  const newest = all.at(-1)
  const isNewestTooLong = from === all.length && newest !== undefined && contextTokens > 0
  const exchanges = isNewestTooLong ? [shorten(newest, contextTokens)] : all.slice(from)
  const leftOut = rows.hasMore || exchanges.length < all.length
  return { exchanges, leftOut, isNearlyFull: leftOut || space - left > space * NEARLY_FULL }
}

function pair({ messages, answers }: SaidRows): readonly Exchange[] {
  const byTurn = new Map<string, DialogueMessage[]>()
  const groups: { readonly turnId: string | null; readonly messages: DialogueMessage[] }[] = []
  for (const { turnId, ...message } of messages) {
    const together = turnId === null ? undefined : byTurn.get(turnId)
    if (together !== undefined) {
      together.push(message)
      continue
    }
    const group = { turnId, messages: [message] }
    groups.push(group)
    if (turnId !== null) byTurn.set(turnId, group.messages)
  }
  return groups.map((group) => ({
    turnId: group.turnId,
    messages: group.messages,
    answers: answers.flatMap(({ turnId, ...answer }) => (turnId === group.turnId ? [answer] : [])),
  }))
}

function bytesOf({ messages, answers }: Exchange): number {
  const texts = [...messages.map(({ content }) => content), ...answers.map(({ text }) => text)]
  return texts.reduce((bytes, text) => bytes + Buffer.byteLength(text), 0)
}

/** Each of its texts gets the same share. */
function shorten({ turnId, messages, answers }: Exchange, contextTokens: number): Exchange {
  const share = Math.floor((contextTokens * BYTES_PER_TOKEN) / (messages.length + answers.length))
  const cut = (text: string): string => text.slice(0, share).toWellFormed()
  return {
    turnId,
    messages: messages.map((message) => ({ ...message, content: cut(message.content) })),
    answers: answers.map((answer) => ({ ...answer, text: cut(answer.text) })),
  }
}
