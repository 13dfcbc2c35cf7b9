/** `onPipelineStart` and `onMessage`: what a turn begins with, and what it takes along. */
import type { TurnContext } from '../turn-context.ts'
import type { ServedMessage } from '../turn-messages.ts'
import { messageDataOf, type HookContext } from './hook-data.ts'

/** Called when no plan of the turn is there yet; once, unless its process dies before the next commit. */
export function notifyStart(context: HookContext & Pick<TurnContext, 'messages'>): void {
  const { turn, messages, plugins } = context
  if (turn.step !== null && turn.step !== 'RECEIVED') return
  const [first] = messages.all
  if (first !== undefined) plugins.notify('onPipelineStart', () => messageDataOf(context, first))
  notifyMessages(context, messages.all)
}

/** Nothing waits for the plugins. */
export function notifyMessages(context: HookContext, messages: readonly ServedMessage[]): void {
  for (const message of messages) context.plugins.notify('onMessage', () => messageDataOf(context, message))
}
