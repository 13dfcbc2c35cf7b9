/**
 * A question is answered or closed, and with it all that hangs on it, in one transaction: the learning that became the
 * question, the facts that it is about, and what is learned from the answer.
 */
import { conflict, invalidInput, notFound, type Refusal } from '../../core/refusal.ts'
import { GLOBAL_SCOPE, widestScope, type Scope } from '../../core/knowledge/fact-scope.ts'
import { normalText } from '../../core/text/normal-text.ts'
import type { LearningEntry } from '../../core/turn-write.ts'
import { newId } from '../../platform/id.ts'
import type { Database } from '../database.ts'
import { sql } from '../sql.ts'
import { dueCurationSql } from './curation-jobs.ts'
import { changeFact, insertFact, lockFacts, refuseTwin, replaceFacts, type LockedFact } from './fact-change.ts'
import {
  editKnowledge,
  holdSession,
  lockSession,
  recordChange,
  type Editor,
  type NormalizedText,
  type Transaction,
} from './knowledge-edit.ts'
import { decide, scopeOfLearning, type LockedLearning } from './knowledge-learning.ts'
import {
  lockQuestion,
  lockSessionOf,
  refuseResolving,
  recordSession,
  type LockedQuestion,
  type QuestionChanged,
} from './knowledge-question.ts'

/** LEARNING: what was learned holds, in the place of the facts. FACTS: they hold. NEITHER does. */
export type QuestionOutcome = 'LEARNING' | 'FACTS' | 'NEITHER'

/** How a question is settled. */
export interface Settlement {
  readonly id: string
  readonly answer: string | null
  /** Null: the answer is learned, and what follows for the facts is decided about that. */
  readonly outcome: QuestionOutcome | null
  /** What holds: with LEARNING in place of its own words; with NEITHER a new fact. */
  readonly text: NormalizedText | null
  /** What is learned from the answer; null: nothing. */
  readonly learned: (NormalizedText & { readonly entry: LearningEntry }) | null
  /** Where it was put to who answers, of a question of all sessions; null: the learning's. */
  readonly sessionId: string | null
}

/**
 * NotFound without the question, Conflict when it was resolved before, when a text is to hold in place of facts of
 * which none is in use, or when another one says what would become a fact.
 */
export function storeSettledQuestion(
  database: Database,
  editor: Editor,
  asked: Settlement,
): Promise<QuestionChanged | Refusal> {
  const { id, answer, outcome } = asked
  return editKnowledge(database, async (transaction) => {
    const settlement = { ...asked, sessionId: await holdPutIn(transaction, asked) }
    await lockSessionOf(transaction, id)
    const learnings = await lockAsked(transaction, id)
    const question = await lockQuestion(transaction, id)
    if (question === undefined) return notFound('question', id)
    const refusal = refuseResolving(question) ?? refuseUnlearnt({ settlement, question, learnings })
    if (refusal !== null) return refusal
    // All refusals come before the first write.
    const means = outcome === null ? null : await meansOf(transaction, { settlement, question, learnings })
    if (means !== null && 'kind' in means) return means
    const resolved = { resolvedBy: editor.userName, resolvedAt: editor.at }
    await transaction.question.update({ where: { id }, data: { status: 'RESOLVED', answer, ...resolved } })
    const { sessionId } = question
    await recordChange(transaction, editor, { subjectId: id, sessionId, change: 'RESOLVED' })
    const made =
      means === null
        ? await learn(transaction, editor, { settlement, question, learnings })
        : await settle(transaction, editor, { means, learnings })
    const changedIds = [...new Set([id, ...learnings.map((learning) => learning.id), ...question.factIds, ...made])]
    const sessionEvent = await recordSession(transaction, editor, sessionId)
    return { kind: 'QuestionChanged', questionId: id, changedIds, sessionEvent }
  })
}

/** Null, also when the session was deleted since it was read: then the answer is as one that was given in none. */
async function holdPutIn(transaction: Transaction, { sessionId }: Settlement): Promise<string | null> {
  return sessionId !== null && (await holdSession(transaction, sessionId)) ? sessionId : null
}

/** What is learned is learned in a session: an answer that has none would say of the facts what is kept nowhere. */
function refuseUnlearnt({ settlement, question, learnings }: QuestionToSettle): Refusal | null {
  const { outcome, learned } = settlement
  const hasSession = sessionOf({ settlement, question, learnings }) !== null
  if (outcome !== null || learned === null || hasSession || question.factIds.length === 0) return null
  return invalidInput(
    ['outcome'],
    'must say what becomes of the facts: FACTS when they hold, NEITHER when they do not, with a text when another holds',
  )
}

/** In which what the answer says is learned; null: in none. */
function sessionOf({ settlement, question, learnings }: QuestionToSettle): string | null {
  return question.sessionId ?? settlement.sessionId ?? learnings[0]?.sessionId ?? null
}

interface QuestionToSettle {
  readonly settlement: Settlement
  readonly question: LockedQuestion
  /** Those that became the question. */
  readonly learnings: readonly LockedLearning[]
}

/** What is to be done about facts and learnings, with the facts locked. */
interface Means {
  readonly outcome: QuestionOutcome
  /** In use; they hold no more. */
  readonly old: readonly LockedFact[]
  /** Of the new fact; null: there is none. */
  readonly text: NormalizedText | null
  readonly sessionId: string | null
  /** Of the new fact. */
  readonly scope: Scope
}

async function meansOf(
  transaction: Transaction,
  { settlement, question, learnings }: QuestionToSettle,
): Promise<Means | Refusal | null> {
  const { outcome, text } = settlement
  if (outcome === null) return null
  const { sessionId } = question
  if (outcome === 'FACTS') return { outcome, old: [], text: null, sessionId, scope: GLOBAL_SCOPE }
  const [learning] = learnings
  if (outcome === 'LEARNING' && learning === undefined)
    return conflict('NOTHING_TO_DO', `No learning became question "${question.id}".`, question.id)
  if (text !== null && learning === undefined && question.factIds.length === 0)
    return conflict(
      'NOTHING_TO_DO',
      `Question "${question.id}" is about no learning and no fact. Settle it without a text, and create a fact.`,
      question.id,
    )
  const facts = await lockFacts(transaction, question.factIds)
  const old = [...facts.values()].filter(({ invalidatedAt }) => invalidatedAt === null)
  if (text !== null && learning === undefined && old.length === 0 && question.factIds.length > 0)
    return refusePlaceless(question, [...facts.values()])
  const own = learning === undefined ? null : { content: learning.content, norm: normalText(learning.content) }
  const said = outcome === 'LEARNING' ? (text ?? own) : text
  const except = old.map(({ id }) => id)
  // Those who were shown a fact are shown what holds in its place.
  const scope = widestScope(old, learning === undefined ? GLOBAL_SCOPE : scopeOfLearning(learning))
  const twin = said === null ? null : await refuseTwin(transaction, { ...said, ...scope }, except)
  return twin ?? { outcome, old, text: said, scope, sessionId: sessionId ?? learning?.sessionId ?? null }
}

/** Nothing says whom a text would reach then, and what replaced the facts meanwhile may say otherwise. */
function refusePlaceless({ id }: LockedQuestion, facts: readonly LockedFact[]): Refusal {
  const numbers = facts.map(({ number }) => `#${number}`)
  const list = numbers.length === 0 ? '' : ` (${numbers.join(', ')})`
  return conflict(
    'INVALIDATED',
    `No fact that the question is about is in use any more${list}. Settle it without a text, ` +
      'and create a fact that says what holds, or edit the one that replaced it.',
    facts[0]?.id ?? id,
  )
}

/** Returns the ids of facts that changed or are new. */
async function settle(
  transaction: Transaction,
  editor: Editor,
  { means, learnings }: { readonly means: Means; readonly learnings: readonly LockedLearning[] },
): Promise<string[]> {
  const { outcome, old, text, sessionId, scope } = means
  const oldIds = old.map(({ id }) => id)
  const factId = text === null ? null : newId('fact')
  // A learning names one; the facts themselves name what replaced them.
  const [first] = old
  const replaced = first === undefined ? {} : { replacesFactId: first.id }
  if (factId === null && outcome === 'NEITHER') await takeOut(transaction, editor, old)
  else if (factId !== null) await replaceFacts(transaction, editor, { facts: old, factId })
  if (factId !== null && text !== null)
    await insertFact(transaction, editor, { id: factId, text, scope, sessionId, validFrom: editor.at })
  for (const [index, learning] of learnings.entries()) {
    const { questionId } = learning
    const asked = questionId === null ? {} : { questionId }
    if (outcome === 'LEARNING' && index > 0) await holdOther(transaction, editor, learning)
    else if (outcome === 'LEARNING' && factId !== null)
      await decide(transaction, editor, { learning, columns: { status: 'PROMOTED', factId, ...replaced, ...asked } })
    else {
      const reason = 'The answer to its question says otherwise.'
      await decide(transaction, editor, { learning, columns: { status: 'DISCARDED', reason, ...asked } })
    }
  }
  return factId === null ? oldIds : [factId, ...oldIds]
}

/** Of several learnings one holds. What the others say need not be wrong, and what is discarded is refused later. */
async function holdOther(transaction: Transaction, editor: Editor, { id, sessionId }: LockedLearning): Promise<void> {
  const reason = 'Another learning holds by the answer to their question.'
  const undecided = { questionId: null, decidedBy: null, decidedAt: null, changeId: editor.changeId }
  await transaction.learning.update({ where: { id }, data: { status: 'PENDING', held: true, reason, ...undecided } })
  await recordChange(transaction, editor, { subjectId: id, sessionId, change: 'HELD', reason })
}

async function takeOut(transaction: Transaction, editor: Editor, facts: readonly LockedFact[]): Promise<void> {
  const columns = { invalidatedAt: editor.at, validTo: editor.at }
  const reason = 'The answer to a question says otherwise.'
  for (const fact of facts) await changeFact(transaction, editor, { fact, change: 'INVALIDATED', columns, reason })
}

/** Returns the ids of learnings that are new. */
async function learn(
  transaction: Transaction,
  editor: Editor,
  { settlement, question, learnings }: QuestionToSettle,
): Promise<string[]> {
  for (const learning of learnings)
    await decide(transaction, editor, { learning, columns: { status: 'ANSWERED', questionId: question.id } })
  const sessionId = sessionOf({ settlement, question, learnings })
  if (settlement.learned === null || sessionId === null) return []
  const { content, norm, entry } = settlement.learned
  const id = newId('learning')
  await transaction.learning.create({
    data: {
      ...entry,
      flags: [...entry.flags],
      similarFactIds: [...entry.similarFactIds],
      id,
      sessionId,
      userName: editor.userName,
      content,
      norm,
      createdAt: editor.at,
    },
  })
  // No turn need come that judges it.
  if (entry.status === 'PENDING' && !entry.held)
    await transaction.$executeRawUnsafe(dueCurationSql(sql`SELECT $1::text, now()`), sessionId)
  return [id]
}

/** Behind their sessions. */
async function lockAsked(transaction: Transaction, questionId: string): Promise<LockedLearning[]> {
  const where = { questionId, status: 'ASKED' } as const
  const found = await transaction.learning.findMany({ where, select: { sessionId: true } })
  for (const sessionId of [...new Set(found.map((one) => one.sessionId))].sort())
    await lockSession(transaction, sessionId)
  return transaction.$queryRaw<LockedLearning[]>`
    SELECT id, number, content, session_id AS "sessionId", status, decided_by AS "decidedBy", question_id AS "questionId",
      scope, scope_of AS "scopeOf"
    FROM learnings WHERE question_id = ${questionId} AND status = 'ASKED' ORDER BY id FOR UPDATE`
}
