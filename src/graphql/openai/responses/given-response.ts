/**
 * A response that was given before, or is being worked on: `GET /v1/responses/<id>` and what is below it, read from the
 * log, by the rules for its session.
 */
import { decidedIn } from '../../protocols/decide.ts'
import { OVER, readTurn, untilOver } from '../../protocols/follow-turn.ts'
import type { Operations } from '../../protocols/operations.ts'
import { accepted, Refused, type RefusalData } from '../../protocols/refused.ts'
import { CANCEL_TURN, READ_SESSION, WITHDRAW_MESSAGE, type TurnData } from '../../protocols/turn-documents.ts'
import type { AnswerHead } from '../answer.ts'
import { startedTurnOf, type Started } from '../answer-turn.ts'
import { READ_RESPONSE, type AnsweredMessage } from '../documents.ts'
import { ownerOf, responseId } from './responses-request.ts'

/** What is asked for of one response, by its path. */
export interface GivenPath {
  /** By which the response is named. */
  readonly ownerId: string
  readonly part: 'cancel' | 'input_items' | null
}

/** Null: the path is that of no response. */
export function readGivenPath(path: string): GivenPath | null {
  const [, id = '', part = null] = /^\/v1\/responses\/([^/]+)(?:\/(cancel|input_items))?$/.exec(path) ?? []
  const ownerId = ownerOf(id)
  return ownerId === null ? null : { ownerId, part: part as GivenPath['part'] }
}

export interface GivenResponse {
  readonly head: AnswerHead
  readonly started: Started
  /** Null: it answers a decision, which is no message. */
  readonly said: AnsweredMessage | null
}

type Stored = Pick<Started, 'sessionId' | 'messageId' | 'turn'>

/** Rejects with what is refused: there is none, or its session may not be seen. */
export async function readGiven(operations: Operations, id: string): Promise<GivenResponse> {
  const read = await readOwner(operations, id)
  if (read === null)
    throw new Refused(`There is no response ${responseId(id)} that you may see.`, { code: 'NOT_FOUND' })
  const { stored, said, at } = read
  const { session } = await operations.run(READ_SESSION, { id: stored.sessionId })
  const head = {
    id,
    sessionId: stored.sessionId,
    // What its client called it is not kept.
    model: session?.model ?? 'factotum',
    createdAt: Math.floor(Date.parse(at) / 1000),
    instructions: session?.instructions ?? null,
    background: true,
  }
  return { head, started: { id, ...stored, missed: [], kept: [], problem: null }, said }
}

interface Owner {
  readonly stored: Stored
  readonly said: AnsweredMessage | null
  readonly at: string
}

async function readOwner(operations: Operations, id: string): Promise<Owner | null> {
  const { node } = await operations.run(READ_RESPONSE, { id })
  if (node?.__typename === 'Turn') {
    const { firstSeq, session, message } = node
    const stored = { sessionId: session.id, messageId: message.id, turn: { id, after: firstSeq - 1 } }
    return { stored, said: message, at: message.createdAt }
  }
  if (node?.__typename === 'Message' && node.turn === null)
    return { stored: { sessionId: node.session.id, messageId: id, turn: null }, said: node, at: node.createdAt }
  if (node?.__typename !== 'Approval' || node.decidedAt === null) return null
  return { stored: startedTurnOf(await decidedIn(operations, id)), said: null, at: node.decidedAt }
}

/** As OpenAI's API lists what a response was given. */
export function inputItems({ said }: GivenResponse): object {
  const data = said === null ? [] : [toItem(said)]
  return { object: 'list', data, first_id: said?.id ?? null, last_id: said?.id ?? null, has_more: false }
}

function toItem({ id, content }: AnsweredMessage): object {
  return { id, type: 'message', role: 'user', status: 'completed', content: [{ type: 'input_text', text: content }] }
}

/** Ends its turn, unless it has ended; resolves when it has. Rejects with what is refused. */
export async function cancelGiven(
  operations: Operations,
  { sessionId, turn: given }: Stored,
  signal: AbortSignal,
): Promise<void> {
  if (given === null) return
  const turn = await readTurn(operations, given.id)
  if (OVER.has(turn.status)) return
  if (turn.joinedInto !== null) {
    const message = `Another turn has taken its message along: cancel ${responseId(turn.joinedInto.id)}.`
    throw new Refused(message, { code: 'CONFLICT' })
  }
  const refused = await stopTurn(operations, turn)
  if (refused !== null && !OVER.has((await readTurn(operations, given.id)).status)) accepted(refused, null)
  await untilOver({ operations, sessionId, turnId: given.id, after: given.after, signal })
}

/** Requests the end of a turn, wherever it stands. Null: it is requested; or why it is not. */
export async function stopTurn(
  operations: Operations,
  { id, status, message, session }: TurnData,
): Promise<RefusalData | null> {
  if (status === 'QUEUED') {
    const { result } = await operations.run(WITHDRAW_MESSAGE, { input: { id: message.id } })
    // One that has begun meanwhile is to be cancelled.
    if (result.reason !== 'NOT_WAITING') return result.problem === undefined ? null : result
  }
  const { result } = await operations.run(CANCEL_TURN, { input: { sessionId: session.id, turnId: id } })
  return result.problem === undefined ? null : result
}
