/**
 * Which messages start a turn: one rule for every platform. Called by intake for each message, and by the turn to
 * decide whether its model may stay silent.
 *
 *            directed at the agent   not directed
 *   admin    turn                    turn; the model may stay silent
 *   user     turn                    stored
 *   unknown  stored                  stored
 *
 * Where one person talks with the agent, every message is directed at it.
 */
import type { Sender } from '../identity.ts'
import type { ConversationType } from '../status.ts'

export interface Directed {
  readonly type: ConversationType
  /** The client says that the message is directed at the agent. */
  readonly mentioned: boolean
}

/** Otherwise the message is stored, as context for later turns. */
export function startsTurn({ sender, ...directed }: Directed & { readonly sender: Sender }): boolean {
  return sender.trusted && (isAddressed(directed) || sender.role === 'ADMIN')
}

/** Whether the agent owes an answer; if not, it may stay silent. */
export function isAddressed({ type, mentioned }: Directed): boolean {
  return type === 'DIRECT' || mentioned
}
