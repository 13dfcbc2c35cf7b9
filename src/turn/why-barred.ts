/**
 * Whether the turn's user may still have something done in the session: asked before each task, and again when the task
 * is marked RUNNING. Whose rights count was decided when the message came (`turn.userName`): who speaks later changes
 * nothing.
 */
import { currentUser } from '../config/access/current-user.ts'
import type { TurnContext } from './turn-context.ts'

/** Half a sentence, for people; null: nothing is in the way. */
export function whyBarred({ config, turn, journal }: Pick<TurnContext, 'config' | 'turn' | 'journal'>): string | null {
  const user = currentUser(config.current(), turn.userName)
  if (user === null) return `the user ${turn.userName} is no longer in the configuration`
  // Admins act in all sessions, those in which they do not take part included.
  if (user.role === 'ADMIN' || journal.participates) return null
  return `${turn.userName} no longer takes part in this session`
}
