/**
 * A turn that kills its process would otherwise kill one after another, for ever. What counts is a death of the server,
 * or of the process that runs its commands, that the turn may have caused; never a lost database, a server that leaves,
 * or another one's turn that ran a command (src/store/nodes.ts).
 */
import type { Ending, TurnContext } from './turn-context.ts'

const MAX_DEATHS = 10

/** How the turn ends for it; null: it goes on. */
export function diedTooOften({ journal: { deaths } }: Pick<TurnContext, 'journal'>): Ending | null {
  if (deaths < MAX_DEATHS) return null
  return { kind: 'Failed', failure: `The server died ${deaths} times while it worked on this. It is not tried again.` }
}
