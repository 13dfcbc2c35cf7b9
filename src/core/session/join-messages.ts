/**
 * Which waiting messages a turn takes along: before its first plan (`collect_window_ms`, policy COLLECT), or at a
 * boundary between two of its tasks (policy STEER). A turn acts with one user's rights and is put down to one token, so
 * it takes only messages of that user that came by that token; and as these are served together, only as much text as
 * one message may have.
 */
import { isScheduleClient } from '../schedule-client.ts'

/** As much as one message may have (src/intake/message/message-content.ts). */
export const MAX_JOINED_BYTES = 256 * 1024

/** A user's text: of a waiting message, or of all messages that a turn has so far. */
export interface JoinableText {
  readonly userName: string
  /** The token that brought it, or the schedule. */
  readonly client: string
  /** Of the text, in UTF-8. */
  readonly bytes: number
}

/** A message that waits. */
export interface JoinableMessage extends JoinableText {
  /** It calls a tool, which no model answers: it has its turn alone. */
  readonly isCall: boolean
}

/**
 * Those of `waiting` that join `turn`, in their order: all of the same person from the first on, up to one that would
 * be too much, or that calls a tool. The run of a schedule stays alone.
 */
export function messagesToJoin<Waiting extends JoinableMessage>(
  turn: JoinableText,
  waiting: readonly Waiting[],
): readonly Waiting[] {
  if (isScheduleClient(turn.client)) return []
  const own = waiting.filter(({ userName, client }) => userName === turn.userName && client === turn.client)
  let bytes = turn.bytes
  const tooMuch = own.findIndex((message) => message.isCall || (bytes += message.bytes) > MAX_JOINED_BYTES)
  return tooMuch === -1 ? own : own.slice(0, tooMuch)
}
