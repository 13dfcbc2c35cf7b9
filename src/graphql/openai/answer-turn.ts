/** One request: its message goes into its session, or its decisions are taken, and then its turn is told. */
import type { Clock } from '../../platform/clock.ts'
import { decideAll, readApproval, type Decided } from '../protocols/decide.ts'
import { followTurn, OVER, readTurn } from '../protocols/follow-turn.ts'
import type { Operations } from '../protocols/operations.ts'
import { nameFor } from '../protocols/own-session.ts'
import { accepted, Refused } from '../protocols/refused.ts'
import { SEND_MESSAGE, type AskedApproval, type SentMessage, type TurnData } from '../protocols/turn-documents.ts'
import { askForDecision, keptMessages, readDecisions, unnamed, type Decisions } from './approval-words.ts'
import type { Ask } from './ask.ts'
import { chooseSession, mayBeAbout } from './choose-session.ts'
import { READ_CONVERSATION } from './documents.ts'
import { meaningOf } from './models.ts'
import { Narrator, type Piece } from './narrate.ts'
import { ofEndedTurn } from './openai-error.ts'
import { isSame } from './same-conversation.ts'

/** A message that is on record, and its turn; null: it starts none, as in a group. */
export interface Started {
  readonly sessionId: string
  readonly messageId: string
  readonly turn: { readonly id: string; readonly after: number } | null
  /** Of a decision: the messages that waited behind its turn, and are answered with it. */
  readonly kept: readonly StartedTurn[]
  /** Why the decision was not taken: another one stands, and what was kept is answered all the same. */
  readonly problem: string | null
}

type StartedTurn = Pick<Started, 'sessionId' | 'messageId'> & { readonly turn: NonNullable<Started['turn']> }

/** Rejects with what is refused. When it resolves, the message is stored. */
export async function startTurn(operations: Operations, ask: Ask, clock: Clock): Promise<Started> {
  const { mode } = meaningOf(ask.model)
  const user = operations.caller.viewer.user === null ? ask.user : null
  const decisions = readDecisions({ ...ask, user })
  if (decisions !== null) return takeDecisions(operations, decisions, ask)
  const { sessionId, sent } = await chooseSession(operations, ask, clock)
  const { id: messageId, turn } = sent ?? (await send())
  return { sessionId, messageId, turn: turn === null ? null : begun(turn), kept: [], problem: null }

  async function send(): Promise<SentMessage> {
    const key = ask.idempotencyKey === null ? {} : { idempotencyKey: `openai ${shortKey(ask.idempotencyKey)}` }
    const from = user === null ? {} : { user }
    const input = { sessionId, content: ask.text, ...key, ...from, ...(mode === null ? {} : { mode }) }
    const { result } = await operations.run(SEND_MESSAGE, { input })
    return accepted(result, result.message)
  }
}

async function takeDecisions(operations: Operations, decisions: Decisions, ask: Ask): Promise<Started> {
  try {
    const { last, after } = await decide(operations, ask, decisions)
    const { session, turn } = last
    const kept = await findKept(operations, last, ask)
    return { sessionId: session.id, messageId: turn.message.id, turn: { id: turn.id, after }, kept, problem: null }
  } catch (error) {
    const [decision] = decisions.all
    if (!(error instanceof Refused) || error.reason !== 'ALREADY_DECIDED' || decision === undefined) throw error
    const [first, ...kept] = await findKept(operations, await readApproval(operations, decision.id), ask)
    if (first === undefined) throw error
    return { ...first, kept, problem: error.message }
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

/**
 * In their order: what was said after the message of the turn that is decided about, and was answered with that it is
 * kept.
 */
async function findKept(
  operations: Operations,
  { session: { id: sessionId }, turn: { message: own } }: AskedApproval,
  { history, previousTurnId }: Ask,
): Promise<StartedTurn[]> {
  const texts = keptMessages(history)
  if (texts.length === 0 && previousTurnId === null) return []
  const { session } = await operations.run(READ_CONVERSATION, { id: sessionId })
  const said = session?.conversation.edges.map(({ node }) => node) ?? []
  return said
    .slice(said.findIndex(({ message }) => message?.id === own.id) + 1)
    .flatMap(({ message, content = '' }) => {
      if (message?.turn == null) return []
      const isKept = message.turn.id === previousTurnId || texts.some((text) => isSame(content, text))
      return isKept ? [{ sessionId, messageId: message.id, turn: begun(message.turn) }] : []
    })
}

/** Keys of a message have at most 255 characters; a longer one is replaced by its hash. */
function shortKey(key: string): string {
  return key.length <= 248 ? key : nameFor(key)
}

function begun({ id, firstSeq }: NonNullable<SentMessage['turn']>): StartedTurn['turn'] {
  return { id, after: firstSeq - 1 }
}

/**
 * What the turn says, and then those of messages that waited behind it: until all have ended, or one waits for a
 * decision, which is asked for at the end. Returns the last turn as it is then; null when `signal` aborts before.
 * Throws an OpenAIError when the turn ends without an answer, and is the only one.
 */
export async function* tellTurn(
  operations: Operations,
  started: Started & StartedTurn,
  signal: AbortSignal,
): AsyncGenerator<Piece, TurnData | null> {
  const { kept, problem } = started
  const said = { text: problem ?? '' }
  if (problem !== null) yield { kind: 'text', text: problem }
  let last: TurnData | null = null
  for (const one of [started, ...kept]) {
    // Taken along by the turn before it, it was answered with that.
    if (last !== null && (await readTurn(operations, one.turn.id)).joinedInto?.id === last.id) continue
    last = yield* tellOne(operations, { started: one, said }, signal)
    if (last === null || !OVER.has(last.status)) return last
    if (last.status === 'DONE') continue
    const failure = ofEndedTurn(last.status, last.failure)
    if (kept.length === 0 && problem === null) throw failure
    // Turns that fail say so themselves.
    if (!said.text.includes(failure.message)) yield say(failure.message, { said, isFirst: true })
  }
  return last
}

interface Telling {
  readonly started: StartedTurn
  /** So far, by all turns. */
  readonly said: { text: string }
}

async function* tellOne(
  operations: Operations,
  { started: { sessionId, messageId, turn }, said }: Telling,
  signal: AbortSignal,
): AsyncGenerator<Piece, TurnData | null> {
  const narrator = new Narrator()
  const { id: turnId, after } = turn
  const events = followTurn({ operations, sessionId, messageId, turnId, after, signal })
  let isFirst = true
  for (let next = await events.next(); ; next = await events.next()) {
    if (next.done === true) {
      if (next.value !== null && next.value.session.approvals.length > 0 && !OVER.has(next.value.status))
        yield say(askForDecision(next.value), { said, isFirst: true })
      return next.value
    }
    for (const piece of narrator.tell(next.value)) {
      yield piece.kind === 'text' ? say(piece.text, { said, isFirst }) : piece
      if (piece.kind === 'text') isFirst = false
    }
  }
}

/** The first text of a turn is a paragraph of its own. */
function say(text: string, { said, isFirst }: Pick<Telling, 'said'> & { readonly isFirst: boolean }): Piece {
  const apart = isFirst && said.text !== '' ? `\n\n${text}` : text
  said.text += apart
  return { kind: 'text', text: apart }
}
