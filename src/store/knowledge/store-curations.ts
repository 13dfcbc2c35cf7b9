/**
 * What the curator decided outside a turn, one transaction for each learning, as in a turn's commit
 * (knowledge-parts.sql.ts): only what still waits for it is decided, and what would make a fact a second time repeats
 * the first.
 */
import type { SessionEvent } from '../../core/session-event.ts'
import type { Curation } from '../../core/turn-write.ts'
import type { Database } from '../database.ts'
import { lockLiveFact, refuseTwin } from './fact-change.ts'
import {
  editKnowledge,
  lockSession,
  recordChange,
  recordSessionUpdate,
  type Editor,
  type Transaction,
} from './knowledge-edit.ts'
import { becomeFact, decide, lockWaiting, scopeOfLearning, type WaitingLearning } from './knowledge-learning.ts'
import { insertQuestion, lockQuestion } from './knowledge-question.ts'
import { MAX_TRIES } from './learning-entry.ts'

/** What came of a curation, committed. */
export interface CurationStored {
  /** Of learnings, facts and questions. */
  readonly changedIds: readonly string[]
  readonly sessionEvent?: SessionEvent | null
}

/**
 * Nothing is changed when the learning is decided already, the fact that it would replace is another by now, or the
 * question that it would join is no longer open.
 */
export function storeCuration(database: Database, sessionId: string, curation: Curation): Promise<CurationStored> {
  const { at, by, changeId, learningId } = curation
  const editor: Editor = { userName: by, tokenName: null, changeId, at }
  return editKnowledge(database, async (transaction) => {
    await lockSession(transaction, sessionId)
    const learning = await lockWaiting(transaction, learningId)
    if (learning === null) return { changedIds: [] }
    switch (curation.status) {
      case 'PROMOTED':
        return promote(transaction, editor, { learning, curation })
      case 'ASKED':
        return ask(transaction, editor, { learning, curation })
      case 'PENDING':
        return keepWaiting(transaction, editor, { learning, curation })
      case 'DISCARDED':
      case 'REFUSED': {
        const { status, reason, repeatsFactId, repeatsLearningId } = curation
        return decide(transaction, editor, { learning, columns: { status, reason, repeatsFactId, repeatsLearningId } })
      }
    }
  })
}

interface Judged {
  readonly learning: WaitingLearning
  readonly curation: Curation
}

async function promote(
  transaction: Transaction,
  editor: Editor,
  { learning, curation: { fact, replaces, reason } }: Judged,
): Promise<CurationStored> {
  if (fact === null) return { changedIds: [] }
  const old = replaces === null ? null : await lockLiveFact(transaction, replaces.factId)
  if (old !== null && ('kind' in old || old.pinned || old.version !== replaces?.version)) return { changedIds: [] }
  const { id, ...text } = fact
  const scope = scopeOfLearning(learning)
  const twin = await refuseTwin(transaction, { ...text, ...scope })
  if (twin !== null) {
    const repeatsFactId = twin.kind === 'Conflict' ? twin.currentId : null
    const columns = { status: 'REFUSED', reason: `It repeats the fact ${repeatsFactId ?? ''}.`, repeatsFactId } as const
    return decide(transaction, editor, { learning, columns })
  }
  const made = { id, text, scope, sessionId: learning.sessionId, source: 'CURATOR' } as const
  return becomeFact(transaction, editor, { learning, old, fact: made, reason })
}

async function ask(
  transaction: Transaction,
  editor: Editor,
  { learning, curation: { question, questionId: open, reason } }: Judged,
): Promise<CurationStored> {
  const { sessionId } = learning
  if (open !== null && (await lockQuestion(transaction, open))?.status !== 'OPEN') return { changedIds: [] }
  const asked = question === null ? null : { text: question, factIds: question.factIds, id: question.id }
  const questionId =
    asked === null ? open : await insertQuestion(transaction, editor, { ...asked, sessionId, source: 'CURATOR' })
  if (questionId === null) return { changedIds: [] }
  const decided = await decide(transaction, editor, { learning, columns: { status: 'ASKED', reason, questionId } })
  return { ...decided, sessionEvent: await recordSessionUpdate(transaction, editor, sessionId) }
}

/** For the curator once more, or, after the last time, for a person. */
async function keepWaiting(
  transaction: Transaction,
  editor: Editor,
  { learning, curation: { isRetry, reason, flags, replaces } }: Judged,
): Promise<CurationStored> {
  const { id, sessionId, tries } = learning
  const held = !isRetry || tries + 1 >= MAX_TRIES
  const data = { held, reason, tries: tries + Number(isRetry), ...(held ? { flags: { push: [...flags] } } : {}) }
  await transaction.learning.update({
    where: { id },
    data: { ...data, replacesFactId: replaces?.factId ?? null, changeId: editor.changeId },
  })
  if (held) await recordChange(transaction, editor, { subjectId: id, sessionId, change: 'HELD', reason })
  return { changedIds: [id] }
}
