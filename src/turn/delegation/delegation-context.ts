/** What of a turn its delegations work with. */
import type { TaskContext, TurnContext } from '../turn-context.ts'

/** All steps of a delegation, from its start to the verdict on its answer, take this. */
export type DelegationContext = TaskContext &
  Pick<TurnContext, 'messages' | 'signal' | 'agents' | 'config' | 'database' | 'delegated' | 'logger'>
