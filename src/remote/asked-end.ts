/** How a message that was sent has ended. */
import type { FactotumClient } from '../../packages/client/src/connect.ts'
import {
  TerminalAskedDocument,
  type TerminalAskedTurnFragment,
  type MessageStatus,
} from '../generated/remote/graphql.ts'

export interface AskedEnd {
  readonly status: MessageStatus
  /** The turn that answered it, which may be another one's that took it along; null: none did. */
  readonly turn: TerminalAskedTurnFragment | null
}

/** Null: it has not ended yet. A message that is gone has ended CANCELLED. */
export async function readEnd(client: FactotumClient, messageId: string): Promise<AskedEnd | null> {
  const { message } = await client.read(TerminalAskedDocument, { id: messageId })
  if (message === null || message === undefined) return { status: 'CANCELLED', turn: null }
  const { status, turn } = message
  if (status === 'QUEUED' || status === 'PROCESSING') return null
  return { status, turn: turn?.joinedInto ?? turn ?? null }
}
