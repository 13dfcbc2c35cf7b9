/** One request: its message goes into its session, or its decisions are taken, and then its turn is told. */
import type { Clock } from '../../platform/clock.ts'
import { decideAll, type Decided } from '../protocols/decide.ts'
import { followTurn, OVER } from '../protocols/follow-turn.ts'
import type { Operations } from '../protocols/operations.ts'
import { nameFor } from '../protocols/own-session.ts'
import { accepted } from '../protocols/refused.ts'
import { SEND_MESSAGE, type SentMessage, type TurnData } from '../protocols/turn-documents.ts'
import { askForDecision, keptMessage, readDecisions, unnamed, type Decisions } from './approval-words.ts'
import type { Ask } from './ask.ts'
import { chooseSession, mayBeAbout } from './choose-session.ts'
import { READ_CONVERSATION } from './documents.ts'
import { meaningOf } from './models.ts'
import { Narrator, type Piece } from './narrate.ts'

/** A message that is on record, and its turn; null: it starts none, as in a group. */
export interface Started {
  readonly sessionId: string
  readonly messageId: string
  readonly turn: { readonly id: string; readonly after: number } | null
  /** Of a decision: the message that waited behind the turn, and is answered with it. */
  readonly kept?: Started | null
}

type StartedTurn = Started & { readonly turn: NonNullable<Started['turn']> }

/** Rejects with what is refused. When it resolves, the message is stored. */
export async function startTurn(operations: Operations, ask: Ask, clock: Clock): Promise<Started> {
  const { mode } = meaningOf(ask.model)
  const user = operations.caller.viewer.user === null ? ask.user : null
  const decisions = readDecisions({ ...ask, user })
  if (decisions !== null) {
    const { last, after } = await decide(operations, ask, decisions)
    const kept = await findKept(operations, last.session.id, ask)
    const turn = { id: last.turn.id, after }
    // By now the decision may be about its own turn.
    const isOwn = kept?.turn?.id === turn.id
    return { sessionId: last.session.id, messageId: last.turn.message.id, turn, kept: isOwn ? null : kept }
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

/** An answer could name what waits elsewhere: without ids of the person's own only this conversation's are meant. */
async function decide(operations: Operations, ask: Ask, { all, areNamed }: Decisions): Promise<Decided> {
  if (areNamed) return decideAll(operations, all)
  const isMeant = await mayBeAbout(operations, ask)
  return decideAll(operations, all, ({ session }) => {
    if (!isMeant(session.id)) throw unnamed(all[0]?.approve === true ? 'approve' : 'deny')
  })
}

/** Null also where it is not found among what was said last. */
async function findKept(operations: Operations, sessionId: string, { history }: Ask): Promise<Started | null> {
  const text = keptMessage(history)?.trim()
  if (text === undefined) return null
  const { session } = await operations.run(READ_CONVERSATION, { id: sessionId })
  const entry = session?.conversation.edges.findLast(
    ({ node }) => node.message != null && node.content?.trim() === text,
  )
  return entry?.node.message == null ? null : toStarted(sessionId, entry.node.message)
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
 * What the turn says, and then that of a message that waited behind it: until it has ended, or waits for a decision,
 * which is asked for at the end. Returns the turn as it is then; null when `signal` aborts before.
 */
export async function* tellTurn(
  operations: Operations,
  started: StartedTurn,
  signal: AbortSignal,
): AsyncGenerator<Piece, TurnData | null> {
  const said = { hasText: false }
  const turn = yield* tellOne(operations, { started, said }, signal)
  const { kept } = started
  if (turn?.status !== 'DONE' || kept?.turn == null) return turn
  return yield* tellOne(operations, { started: { ...kept, turn: kept.turn }, said }, signal)
}

interface Telling {
  readonly started: StartedTurn
  /** What comes behind a text of another turn is a paragraph of its own. */
  readonly said: { hasText: boolean }
}

async function* tellOne(
  operations: Operations,
  { started: { sessionId, messageId, turn }, said }: Telling,
  signal: AbortSignal,
): AsyncGenerator<Piece, TurnData | null> {
  const narrator = new Narrator()
  const { id: turnId, after } = turn
  const events = followTurn({ operations, sessionId, messageId, turnId, after, signal })
  let isFirst = said.hasText
  for (let next = await events.next(); ; next = await events.next()) {
    if (next.done === true) {
      if (next.value !== null && next.value.session.approvals.length > 0 && !isOver(next.value))
        yield { kind: 'text', text: `${said.hasText ? '\n\n' : ''}${askForDecision(next.value)}` }
      return next.value
    }
    for (const piece of narrator.tell(next.value)) {
      const isNew = isFirst && piece.kind === 'text'
      yield isNew ? { ...piece, text: `\n\n${piece.text}` } : piece
      if (piece.kind === 'text') [said.hasText, isFirst] = [true, false]
    }
  }
}

export function isOver({ status }: TurnData): boolean {
  return OVER.has(status)
}
