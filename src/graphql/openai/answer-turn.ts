/** One request: its message goes into its session, or its decisions are taken, and then its turn is told. */
import type { Clock } from '../../platform/clock.ts'
import { decideAll, readApproval, readDecided, type Decided } from '../protocols/decide.ts'
import { followTurn, OVER, wasTakenAlong } from '../protocols/follow-turn.ts'
import type { Operations } from '../protocols/operations.ts'
import { nameFor } from '../protocols/own-session.ts'
import { accepted, Refused } from '../protocols/refused.ts'
import { SEND_MESSAGE, type AskedApproval, type SentMessage, type TurnData } from '../protocols/turn-documents.ts'
import { askedBy, askForDecision, readDecisions, unnamed, type Decisions } from './approval-words.ts'
import type { Ask } from './ask.ts'
import { readAwaited, readPrevious, type Awaited } from './awaited.ts'
import { chooseSession, namedSession, prefixOf } from './choose-session.ts'
import { READ_ASKED, READ_CONVERSATION } from './documents.ts'
import { meaningOf } from './models.ts'
import { Narrator, type Piece } from './narrate.ts'
import { invalid, ofEndedTurn, type OpenAIError } from './openai-error.ts'

/** A message that is on record, and its turn; null: it starts none, as in a group. */
export interface Started {
  /** By which a response is named: of the turn, of the message that starts none, or of the approval that is decided. */
  readonly id: string
  readonly sessionId: string
  readonly messageId: string
  readonly turn: { readonly id: string; readonly after: number } | null
  /** What the answer before asked for was decided elsewhere: the turns that it left missing, and comes after. */
  readonly missed: readonly StartedTurn[]
  /** Of a decision: the messages that waited behind its turn, and are answered with it. */
  readonly kept: readonly StartedTurn[]
  /** Why the decision was not taken: another one stands, and what was kept is answered all the same. */
  readonly problem: string | null
}

/** A turn, and where to follow it from. */
export type StartedTurn = Pick<Started, 'sessionId' | 'messageId'> & { readonly turn: NonNullable<Started['turn']> }

/** Rejects with what is refused. When it resolves, the message is stored. */
export async function startTurn(operations: Operations, ask: Ask, clock: Clock): Promise<Started> {
  const { mode } = meaningOf(ask.model)
  const user = operations.caller.viewer.user === null ? ask.user : null
  const previous = await readPrevious(operations, ask)
  const named = namedSession(operations, ask, previous)
  const awaited = await readAwaited(operations, ask, previous)
  const asked = previous === null ? askedBy(ask.history.at(-1)) : awaited.ids
  const decisions = readDecisions({ ...ask, user }, asked)
  if (decisions !== null && decisions.all.length === 0) throw await nothingMeant(operations, ask, named)
  if (decisions !== null) return takeDecisions(operations, decisions, { ask, named, awaited })
  const { sessionId, sent } = await chooseSession(operations, ask, { named, clock })
  const { id: messageId, turn } = sent ?? (await send())
  const own = { sessionId, messageId, turn: turn === null ? null : begun(turn) }
  const missing = await findMissed(operations, sessionId, awaited)
  // It may say the same as one that was kept.
  const missed = missing.filter((one) => one.messageId !== messageId)
  return { id: turn?.id ?? messageId, ...own, missed, kept: [], problem: null }

  async function send(): Promise<SentMessage> {
    const key = ask.idempotencyKey === null ? {} : { idempotencyKey: `openai ${shortKey(ask.idempotencyKey)}` }
    const from = user === null ? {} : { user }
    const input = { sessionId, content: ask.text, ...key, ...from, ...(mode === null ? {} : { mode }) }
    const { result } = await operations.run(SEND_MESSAGE, { input })
    const issue = result.issues?.find(({ path }) => path.at(-1) === 'content')
    if (issue !== undefined) throw invalid(`${ask.param}: the last message ${issue.problem}.`, ask.param)
    return accepted(result, result.message)
  }
}

/** A decision that names nothing, where no answer is known that has asked for it. */
async function nothingMeant(operations: Operations, ask: Ask, sessionId: string | null): Promise<OpenAIError> {
  const read = sessionId === null ? null : await operations.run(READ_ASKED, { id: sessionId })
  const waiting = read?.session?.approvals.filter(({ decidedAt }) => decidedAt === null) ?? []
  return unnamed(
    ask,
    waiting.map(({ id }) => id),
  )
}

interface Where {
  readonly ask: Ask
  readonly named: string | null
  readonly awaited: Awaited
}

async function takeDecisions(
  operations: Operations,
  decisions: Decisions,
  { ask, named, awaited }: Where,
): Promise<Started> {
  try {
    const decided = await decide(operations, decisions, { ask, sessionId: named })
    const kept = await findKept(operations, decided.last, awaited)
    return { id: decided.last.id, ...startedTurnOf(decided), missed: [], kept, problem: null }
  } catch (error) {
    const [decision] = decisions.all
    if (!(error instanceof Refused) || error.reason !== 'ALREADY_DECIDED' || decision === undefined) throw error
    const approval = await readApproval(operations, { id: decision.id, sessionId: named })
    const [first, ...kept] = await findKept(operations, approval, awaited)
    if (first === undefined) throw error
    return { id: approval.id, ...first, missed: [], kept, problem: error.message }
  }
}

/** An answer could name what waits elsewhere: without ids of the person's own only this conversation's are meant. */
function decide(
  operations: Operations,
  { all, areNamed }: Decisions,
  { ask, sessionId }: { readonly ask: Ask; readonly sessionId: string | null },
): Promise<Decided> {
  const prefix = prefixOf(operations)
  const isMeant = (id: string): boolean => (sessionId === null ? id.startsWith(prefix) : id === sessionId)
  const check = ({ session }: AskedApproval): void => {
    if (!areNamed && !isMeant(session.id)) throw unnamed(ask)
  }
  return decideAll(operations, all, { sessionId, check })
}

/** What came of a decision. */
export function startedTurnOf({ last: { session, turn }, after }: Decided): StartedTurn {
  return { sessionId: session.id, messageId: turn.message.id, turn: { id: turn.id, after } }
}

/** None as long as that waits: it is asked for once more. */
async function findMissed(operations: Operations, sessionId: string, awaited: Awaited): Promise<StartedTurn[]> {
  const decided = await readDecided(operations, { ids: awaited.ids, sessionId })
  return decided === null ? [] : [startedTurnOf(decided), ...(await findKept(operations, decided.last, awaited))]
}

/** In their order: what was said after the message of the turn that is decided about, and was kept. */
async function findKept(
  operations: Operations,
  { session: { id: sessionId }, turn: { message: own } }: AskedApproval,
  { isKept }: Awaited,
): Promise<StartedTurn[]> {
  const { session } = await operations.run(READ_CONVERSATION, { id: sessionId })
  const said = session?.conversation.edges.map(({ node }) => node) ?? []
  return said.slice(said.findIndex(({ message }) => message?.id === own.id) + 1).flatMap((entry) => {
    const { message } = entry
    if (message?.turn == null || !isKept(entry)) return []
    return [{ sessionId, messageId: message.id, turn: begun(message.turn) }]
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
 * What the turn says, before it those that were missed, and behind it those of messages that waited for it: until all
 * have ended, or one waits for a decision, which is asked for at the end. Returns the last turn as it is then, with the
 * usage of all; null when `signal` aborts before. Throws an OpenAIError when the turn ends without an answer, and is
 * the only one.
 */
export async function* narrateTurn(
  operations: Operations,
  started: Started & StartedTurn,
  signal: AbortSignal,
): AsyncGenerator<Piece, TurnData | null> {
  const { missed, kept, problem } = started
  const said = { text: problem ?? '' }
  if (problem !== null) yield { kind: 'text', text: problem }
  let last: TurnData | null = null
  let usage: TurnData['usage'] = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 }
  for (const one of [...missed, started, ...kept]) {
    if (await wasTakenAlong(operations, one.turn.id, last)) continue
    last = yield* narrateOne(operations, { started: one, said }, signal)
    if (last === null) return null
    usage = sumOf(usage, last.usage)
    if (last.status === 'DONE') continue
    if (!OVER.has(last.status)) {
      // The turn behind it says what it waits for.
      if (missed.includes(one)) continue
      if (last.session.approvals.length > 0)
        yield say(askForDecision(last, operations.caller.viewer), { said, isFirst: true })
      return { ...last, usage }
    }
    const failure = ofEndedTurn(last.status, last.failure)
    if (missed.length === 0 && kept.length === 0 && problem === null) throw failure
    // Turns that fail say so themselves.
    if (!said.text.includes(failure.message)) yield say(failure.message, { said, isFirst: true })
  }
  return last === null ? null : { ...last, usage }
}

function sumOf(one: TurnData['usage'], other: TurnData['usage']): TurnData['usage'] {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    cachedTokens: one.cachedTokens + other.cachedTokens,
  }
}

interface Narration {
  readonly started: StartedTurn
  /** So far, by all turns. */
  readonly said: { text: string }
}

async function* narrateOne(
  operations: Operations,
  { started: { sessionId, messageId, turn }, said }: Narration,
  signal: AbortSignal,
): AsyncGenerator<Piece, TurnData | null> {
  const narrator = new Narrator()
  const { id: turnId, after } = turn
  const events = followTurn({ operations, sessionId, messageId, turnId, after, signal })
  let isFirst = true
  for (let next = await events.next(); ; next = await events.next()) {
    if (next.done === true) return next.value
    for (const piece of narrator.piecesOf(next.value)) {
      yield piece.kind === 'text' ? say(piece.text, { said, isFirst }) : piece
      if (piece.kind === 'text') isFirst = false
    }
  }
}

/** The first text of a turn is a paragraph of its own. */
function say(text: string, { said, isFirst }: Pick<Narration, 'said'> & { readonly isFirst: boolean }): Piece {
  const apart = isFirst && said.text !== '' ? `\n\n${text}` : text
  said.text += apart
  return { kind: 'text', text: apart }
}
