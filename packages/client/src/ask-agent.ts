/** A question and its answer: a message, sent once, and what its turn came to, however long that takes. */
import { ClientError } from './client-error.ts'
import type { Connection } from './connection.ts'
import { follow } from './follow.ts'
import {
  AnswerOfTurnDocument,
  AskAgentDocument,
  EndsOfTurnsDocument,
  type AskAgentMutation,
  type SendMessageInput,
  type TurnFieldsFragment,
} from './generated/graphql.ts'

type Refused = Exclude<AskAgentMutation['sendMessage'], { readonly __typename: 'SendMessagePayload' }>

/** `answer` is null where the turn ended without one: `turn.status` and `turn.failure` say why. */
export interface Answered {
  readonly __typename: 'Answered'
  readonly answer: string | null
  /** Null: the message is stored, but starts no turn, as in a group where nobody spoke to the agent. */
  readonly turn: TurnFieldsFragment | null
}

/** `__typename` says whether the message was taken (Answered) or why not: a refusal has a `code` and a `problem`. */
export type AskResult = Answered | Refused

/** Rejects with the signal's reason when it is aborted; the turn goes on. */
export async function askAgent(
  connection: Connection,
  input: SendMessageInput,
  signal: AbortSignal,
): Promise<AskResult> {
  const { sendMessage: sent } = await connection.requestPatiently(AskAgentDocument, { input }, signal)
  if (sent.__typename !== 'SendMessagePayload') return sent
  const asked = sent.message.turn
  if (asked === null) return { __typename: 'Answered', answer: null, turn: null }
  const variables = { sessionId: input.sessionId, after: asked.firstSeq }
  for await (const { sessionEvents } of follow(connection, { document: EndsOfTurnsDocument, variables, signal }))
    if (sessionEvents.turnId === asked.id) break
  signal.throwIfAborted()
  const { turn } = await connection.requestPatiently(AnswerOfTurnDocument, { id: asked.id }, signal)
  if (turn === null) throw new ClientError('NOT_FOUND', `There is no session "${input.sessionId}" that you may see.`)
  const { answer, ...rest } = turn
  return { __typename: 'Answered', answer: answer?.content ?? null, turn: rest }
}
