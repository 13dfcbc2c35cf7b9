/** One request: its message goes into its session, or its decisions are taken, and then its turn is told. */
import type { Clock } from '../../platform/clock.ts'
import { decideAll } from '../protocols/decide.ts'
import { followTurn, OVER } from '../protocols/follow-turn.ts'
import type { Operations } from '../protocols/operations.ts'
import { nameFor } from '../protocols/own-session.ts'
import { accepted } from '../protocols/refused.ts'
import { SEND_MESSAGE, type SentMessage, type TurnData } from '../protocols/turn-documents.ts'
import { askForDecision, readDecisions } from './approval-words.ts'
import type { Ask } from './ask.ts'
import { chooseSession } from './choose-session.ts'
import { meaningOf } from './models.ts'
import { Narrator, type Piece } from './narrate.ts'

/** A message that is on record, and its turn; null: it starts none, as in a group. */
export interface Started {
  readonly sessionId: string
  readonly messageId: string
  readonly turn: { readonly id: string; readonly after: number } | null
}

/** Rejects with what is refused. When it resolves, the message is stored. */
export async function startTurn(operations: Operations, ask: Ask, clock: Clock): Promise<Started> {
  const { mode } = meaningOf(ask.model)
  const user = operations.caller.viewer.user === null ? ask.user : null
  const decisions = readDecisions({ ...ask, user })
  if (decisions !== null) {
    const { last, after } = await decideAll(operations, decisions)
    return { sessionId: last.session.id, messageId: last.turn.message.id, turn: { id: last.turn.id, after } }
  }
  const { sessionId, sent } = await chooseSession(operations, ask, clock)
  return toStarted(sessionId, sent ?? (await send()))

  async function send(): Promise<SentMessage> {
    const key = ask.idempotencyKey === null ? {} : { idempotencyKey: `openai ${shortKey(ask.idempotencyKey)}` }
    const from = user === null ? {} : { user }
    const input = { sessionId, content: ask.text, ...key, ...from, ...(mode === null ? {} : { mode }) }
    const { result } = await operations.run(SEND_MESSAGE, { input })
    return accepted(result, result.message)
  }
}

/** Keys of a message have at most 255 characters; a longer one is replaced by its hash. */
function shortKey(key: string): string {
  return key.length <= 248 ? key : nameFor(key)
}

function toStarted(sessionId: string, { id, turn }: SentMessage): Started {
  return {
    sessionId,
    messageId: id,
    turn: turn === null ? null : { id: turn.id, after: turn.firstSeq - 1 },
  }
}

/**
 * What the turn says, until it has ended, or waits for a decision, which is asked for at the end. Returns the turn as
 * it is then; null when `signal` aborts before.
 */
export async function* tellTurn(
  operations: Operations,
  { sessionId, messageId, turn }: Started & { readonly turn: NonNullable<Started['turn']> },
  signal: AbortSignal,
): AsyncGenerator<Piece, TurnData | null> {
  const narrator = new Narrator()
  const { id: turnId, after } = turn
  const events = followTurn({ operations, sessionId, messageId, turnId, after, signal })
  let hasText = false
  for (let next = await events.next(); ; next = await events.next()) {
    if (next.done === true) {
      if (next.value !== null && next.value.session.approvals.length > 0 && !isOver(next.value))
        yield { kind: 'text', text: `${hasText ? '\n\n' : ''}${askForDecision(next.value)}` }
      return next.value
    }
    for (const piece of narrator.tell(next.value)) {
      hasText ||= piece.kind === 'text'
      yield piece
    }
  }
}

export function isOver({ status }: TurnData): boolean {
  return OVER.has(status)
}
