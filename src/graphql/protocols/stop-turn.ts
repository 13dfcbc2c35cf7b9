/** Ends the turn of one message, wherever it stands; one that is over stays as it is. */
import type { Operations } from './operations.ts'
import { readTurn } from './follow-turn.ts'
import { CANCEL_TURN, WITHDRAW_MESSAGE } from './turn-documents.ts'

/** A refusal, such as that it has ended meanwhile, changes nothing. */
export async function stopTurn(operations: Operations, turnId: string): Promise<void> {
  const { status, message, session } = await readTurn(operations, turnId)
  if (status === 'QUEUED') await operations.run(WITHDRAW_MESSAGE, { input: { id: message.id } })
  else if (session.activeTurn?.id === turnId) await operations.run(CANCEL_TURN, { input: { sessionId: session.id } })
}
