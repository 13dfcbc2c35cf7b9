/** An answer in the form of one of OpenAI's endpoints, as it grows. */
import type { TurnData } from '../protocols/turn-documents.ts'
import type { OpenAIError } from './openai-error.ts'
import type { Piece } from './narrate.ts'

export interface AnswerHead {
  /** Of the turn, or of the message that starts none. */
  readonly id: string
  readonly sessionId: string
  /** As the client named it. */
  readonly model: string
  /** Seconds since 1970. */
  readonly createdAt: number
  readonly instructions: string | null
  /** Whether its client need not wait for it. */
  readonly background: boolean
}

/** What the methods return are server-sent events; `whole` is the answer without a stream. */
export interface Answer {
  begin(): string
  add(piece: Piece): string
  /** `turn`: as it is at the end; null where there is none. */
  end(turn: TurnData | null): string
  fail(error: OpenAIError): string
  whole(turn: TurnData | null): object
}
