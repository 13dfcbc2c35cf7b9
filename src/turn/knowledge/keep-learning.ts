/**
 * Whether what a review learned is kept: as a learning that waits for the curator, or an admin. Called by reviewTask,
 * before the review is recorded. What is refused is logged with the reason, never stored, and so never asked about
 * again.
 */
import { normalText } from '../../core/text/normal-text.ts'
import type { NewLearning } from '../../core/turn-write.ts'
import { countLearnings } from '../../knowledge/count-learnings.ts'
import { findRepeated } from '../../knowledge/find-repeated.ts'
import { unfitText } from '../../knowledge/unfit-text.ts'
import { newId } from '../../platform/id.ts'
import type { TurnContext } from '../turn-context.ts'

/** A review has at most one. A page full of new things must not flood the inbox. */
const MAX_LEARNINGS_PER_TURN = 5

type KeepLearningContext = Pick<TurnContext, 'turn' | 'journal' | 'database' | 'due' | 'clock' | 'logger'>

/** `learn`: what the reviewer says was learned; null: nothing. */
export async function keepLearning(
  context: KeepLearningContext,
  taskId: string,
  learn: string | null,
): Promise<NewLearning | null> {
  if (learn === null) return null
  const content = learn.trim()
  const reason = unfitText(content) ?? (await repeats(context, content))
  if (reason === null) {
    context.due.learned()
    return { id: newId('learning'), taskId, content, norm: normalText(content), createdAt: context.clock.now() }
  }
  context.logger.info({ taskId, reason }, 'a learning was refused')
  return null
}

async function repeats(
  context: Pick<TurnContext, 'turn' | 'journal' | 'database'>,
  content: string,
): Promise<string | null> {
  const { database, journal, turn } = context
  // What the turn learned a moment ago must be in the rows that are read.
  await journal.flushed()
  if ((await countLearnings(database, turn.id)) >= MAX_LEARNINGS_PER_TURN)
    return `the turn has ${MAX_LEARNINGS_PER_TURN} learnings already`
  const repeated = await findRepeated(database, { norm: normalText(content), turnId: turn.id, among: 'all' })
  return repeated === null ? null : `it repeats the ${repeated.kind} ${repeated.id}`
}
