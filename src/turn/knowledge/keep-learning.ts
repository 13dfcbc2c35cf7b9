/**
 * What a review or a conversation learned, as the row that is stored with it: it waits for the curator or a person, or
 * is refused with the reason. Called before the review is recorded.
 */
import type { LearningSource } from '../../core/status.ts'
import type { NewLearning } from '../../core/turn-write.ts'
import { countLearnings } from '../../knowledge/count-learnings.ts'
import { modeOf } from '../../knowledge/learnings/mode-of.ts'
import { enterLearning } from '../../knowledge/learnings/enter-learning.ts'
import { scopeTaught } from '../../knowledge/reach-of-turn.ts'
import { newId } from '../../platform/id.ts'
import type { TurnContext } from '../turn-context.ts'

/** That are judged; a task has at most one learning. A page full of new things must not flood the inbox. */
const MAX_LEARNINGS_PER_TURN = 5

type KeepLearningContext = Pick<
  TurnContext,
  'sessionId' | 'turn' | 'journal' | 'database' | 'config' | 'due' | 'clock' | 'logger'
>

/** `text`: what was learned; null: nothing. */
export async function keepLearning(
  context: KeepLearningContext,
  taskId: string,
  { source, text }: { readonly source: LearningSource; readonly text: string | null },
): Promise<NewLearning | null> {
  if (text === null) return null
  const { database, journal, sessionId, turn, config, clock, logger } = context
  // What the turn learned a moment ago must be in the rows that are read.
  await journal.flushed()
  const isFull = (await countLearnings(database, turn.id)) >= MAX_LEARNINGS_PER_TURN
  const refusal = isFull ? `the turn has ${MAX_LEARNINGS_PER_TURN} learnings already` : null
  const mode = modeOf(config.current(), source, turn.userName)
  const scope = await scopeTaught(database, config.current(), { sessionId, userName: turn.userName })
  const entered = await enterLearning(database, { text, turnId: turn.id, source, mode, scope, refusal })
  if (entered === null) return null
  const { status, held, reason } = entered.entry
  if (status === 'REFUSED') logger.info({ taskId, reason }, 'a learning was refused')
  else if (!held) context.due.learned()
  return { id: newId('learning'), taskId, ...entered, createdAt: clock.now() }
}
