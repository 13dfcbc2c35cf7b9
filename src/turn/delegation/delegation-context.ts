/** What of a turn its delegations work with. */
import type { TaskContext, TurnContext } from '../turn-context.ts'

export type DelegationContext = TaskContext &
  Pick<TurnContext, 'messages' | 'signal' | 'agents' | 'config' | 'database' | 'delegated' | 'logger'>
