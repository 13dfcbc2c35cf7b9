/**
 * Which of the introspector's learnings are kept: as candidates that wait for the curator, or an admin, like those of
 * reviews. What is unfit, or known, or was said twice, is logged with the reason and never stored.
 */
import { normalText } from '../../core/text/normal-text.ts'
import { newId } from '../../platform/id.ts'
import type { Logger } from '../../platform/logger.ts'
import type { CheckpointResult } from '../../store/knowledge/checkpoint-commit.ts'
import type { Database } from '../../store/database.ts'
import { findRepeated } from '../find-repeated.ts'
import { unfitText } from '../unfit-text.ts'

/** It was learned in no turn. */
const NO_TURN = ''

export async function siftLearnings(
  { database, logger }: { readonly database: Database; readonly logger: Logger },
  texts: readonly string[],
  userName: string | null,
): Promise<CheckpointResult['learnings']> {
  const kept = new Map<string, CheckpointResult['learnings'][number]>()
  for (const content of texts) {
    const norm = normalText(content)
    const reason = unfitText(content) ?? (kept.has(norm) ? 'it was said twice' : await repeats(database, norm))
    if (reason === null) kept.set(norm, { id: newId('learning'), userName, content, norm })
    else logger.info({ reason }, 'a learning of a checkpoint was refused')
  }
  return [...kept.values()]
}

async function repeats(database: Database, norm: string): Promise<string | null> {
  const repeated = await findRepeated(database, { norm, turnId: NO_TURN, among: 'all' })
  return repeated === null ? null : `it repeats the ${repeated.kind} ${repeated.id}`
}
