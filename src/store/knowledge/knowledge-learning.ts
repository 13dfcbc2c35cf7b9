/**
 * Learnings as admins decide about them. What waits is decided by the first to commit: an admin here, or the curator in
 * a turn's commit (src/store/turn/turn-commit.sql.ts), which changes only what is still PENDING. Over a decision of the
 * curator, and a refusal, an admin may decide again; a decision of a person is taken back first.
 */
import { widestScope, type Scope } from '../../core/knowledge/fact-scope.ts'
import { conflict, invalidInput, notFound, type Refusal } from '../../core/refusal.ts'
import type { SessionEvent } from '../../core/session-event.ts'
import { isServerPart } from '../../core/server-parts.ts'
import type { FactScope, LearningStatus } from '../../core/status.ts'
import { normalText } from '../../core/text/normal-text.ts'
import type { Database } from '../database.ts'
import {
  editKnowledge,
  lockSession,
  recordChange,
  recordSessionUpdate,
  type Editor,
  type NormalizedText,
  type Transaction,
} from './knowledge-edit.ts'
import { insertFact, lockLiveFact, refuseTwin, replaceFacts, type LockedFact, type NewFact } from './fact-change.ts'
import { closeQuestion, insertQuestion, refuseTwinQuestion } from './knowledge-question.ts'

/** A decision about a learning, committed. */
export interface LearningDecided {
  readonly kind: 'LearningDecided'
  readonly learningId: string
  /** The learning, and the fact or question that came of it. */
  readonly changedIds: readonly string[]
  /** When a question came of it: of its session. */
  readonly sessionEvent?: SessionEvent
}

/** What is to become of a learning that becomes a fact. */
export interface Promotion {
  readonly id: string
  readonly text: NormalizedText | null
  readonly replaces: string | null
  /** The fact that the learning would replace stays in use beside it, also where it replaces another one. */
  readonly keepBoth: boolean
  /** Null: that of the fact that it replaces, or its own. */
  readonly scope: Scope | null
}

/**
 * It becomes a fact, with `text` instead of its own when given, in the place of `replaces`, if there is one.
 * InvalidInput when the promotion leaves open what becomes of the fact that it would replace.
 */
export function storePromotedLearning(
  database: Database,
  editor: Editor,
  promotion: Promotion,
): Promise<LearningDecided | Refusal> {
  const { id, text, replaces } = promotion
  return editKnowledge(database, async (transaction) => {
    await lockSessionOf(transaction, id)
    const learning = await lockUndecided(transaction, id)
    if ('kind' in learning) return learning
    const unsaid = await refuseUnsaid(transaction, learning, promotion)
    if (unsaid !== null) return unsaid
    const { sessionId, content } = learning
    const factText = text ?? { content, norm: normalText(content) }
    const old = replaces === null ? null : await lockLiveFact(transaction, replaces)
    if (old !== null && 'kind' in old) return old
    const scope = promotion.scope ?? widestScope(old === null ? [] : [old], scopeOfLearning(learning))
    const twin = await refuseTwin(transaction, { ...factText, ...scope })
    if (twin !== null) return twin
    const fact = { text: factText, scope, sessionId }
    return await becomeFact(transaction, editor, { learning, old, fact, keepsOwn: promotion.keepBoth })
  })
}

/** Two facts of which one speaks against the other are in use together only where a person says so. */
async function refuseUnsaid(
  transaction: Transaction,
  { number, replacesFactId: factId }: LockedLearning,
  { replaces, keepBoth }: Promotion,
): Promise<Refusal | null> {
  if (keepBoth && replaces !== null && (factId === null || factId === replaces))
    return invalidInput(['keepBoth'], 'must not be set where no other fact than the replaced one is to stay in use')
  if (factId === null || factId === replaces || keepBoth) return null
  const isNamed = { id: { in: [factId, ...(replaces === null ? [] : [replaces])] } }
  const named = await transaction.fact.findMany({
    where: isNamed,
    select: { id: true, number: true, invalidatedAt: true },
  })
  const old = named.find(({ id, invalidatedAt }) => id === factId && invalidatedAt === null)
  if (old === undefined) return null
  const other = named.find(({ id }) => id === replaces)
  const way = other === undefined ? 'replace it with' : `it stays in use when #${other.number} is replaced. Name it as`
  const ways = `${way} "replacesFactId" ("factId" in decideLearnings), or leave it in use beside the new fact with "keepBoth"`
  return invalidInput(['keepBoth'], `learning #${number} would replace fact #${old.number}: ${ways}`)
}

/** It becomes a question that the planner raises in the learning's session. */
export function storeAskedLearning(
  database: Database,
  editor: Editor,
  { id, text }: { readonly id: string; readonly text: NormalizedText },
): Promise<LearningDecided | Refusal> {
  return editKnowledge(database, async (transaction) => {
    await lockSessionOf(transaction, id)
    const learning = await lockUndecided(transaction, id)
    if ('kind' in learning) return learning
    const { sessionId } = learning
    const twin = await refuseTwinQuestion(transaction, text.norm, sessionId)
    if (twin !== null) return twin
    const questionId = await insertQuestion(transaction, editor, { text, sessionId })
    const decided = await decide(transaction, editor, { learning, columns: { status: 'ASKED', questionId } })
    return decided.sessionEvent === undefined
      ? { ...decided, sessionEvent: await recordSessionUpdate(transaction, editor, sessionId) }
      : decided
  })
}

/**
 * Nothing comes of the learning. NotFound without it, Conflict when it was decided before, also with the same decision.
 */
export function storeDiscardedLearning(
  database: Database,
  editor: Editor,
  { id, reason }: { readonly id: string; readonly reason: string | null },
): Promise<LearningDecided | Refusal> {
  return editKnowledge(database, async (transaction) => {
    await lockSessionOf(transaction, id)
    const learning = await lockUndecided(transaction, id)
    if ('kind' in learning) return learning
    return await decide(transaction, editor, { learning, columns: { status: 'DISCARDED', reason } })
  })
}

/**
 * It waits again, for a person. Conflict when it waits already, and when it became a fact: that is taken out of use
 * first.
 */
export function storeReopenedLearning(
  database: Database,
  editor: Editor,
  id: string,
): Promise<LearningDecided | Refusal> {
  return editKnowledge(database, async (transaction) => {
    await lockSessionOf(transaction, id)
    const learning = await lockLearning(transaction, id)
    if (learning === undefined) return notFound('learning', id)
    const refusal = refuseReopening(learning)
    if (refusal !== null) return refusal
    const { changeId } = editor
    const undecided = { decidedBy: null, decidedAt: null, reason: null, questionId: null, changeId }
    const data = { status: 'PENDING', held: true, flags: { push: 'REOPENED' }, ...undecided } as const
    await transaction.learning.update({ where: { id }, data })
    await recordChange(transaction, editor, { subjectId: id, sessionId: learning.sessionId, change: 'REOPENED' })
    return withQuestionClosed(transaction, editor, { learning, changedIds: [id] })
  })
}

/** Null: the decision about the learning may be taken back. */
export function refuseReopening({
  id,
  number,
  status,
}: Pick<LockedLearning, 'id' | 'number' | 'status'>): Refusal | null {
  if (status === 'PENDING') return conflict('NOTHING_TO_DO', `Learning #${number} waits already.`, id)
  if (status !== 'PROMOTED') return null
  return conflict('ALREADY_DECIDED', `Learning #${number} is a fact. Invalidate the fact instead.`, id)
}

/** Before the learning's own row, as a turn's commit does. */
async function lockSessionOf(transaction: Transaction, learningId: string): Promise<void> {
  const learning = await transaction.learning.findUnique({ where: { id: learningId }, select: { sessionId: true } })
  if (learning !== null) await lockSession(transaction, learning.sessionId)
}

/** As it is while the transaction that locked it runs. */
export interface LockedLearning {
  readonly id: string
  /** By which people speak of it. */
  readonly number: number
  readonly content: string
  readonly sessionId: string
  readonly status: LearningStatus
  readonly decidedBy: string | null
  readonly questionId: string | null
  /** The fact in whose place it would come, or came. */
  readonly replacesFactId: string | null
  /** Null: its session's. */
  readonly scope: FactScope | null
  readonly scopeOf: string
}

/** Of the fact that it becomes. */
export function scopeOfLearning({ scope, scopeOf, sessionId }: LockedLearning): Scope {
  return scope === null ? { scope: 'SESSION', scopeOf: sessionId } : { scope, scopeOf }
}

/** One that waits for the curator. */
export interface WaitingLearning extends LockedLearning {
  /** How often its evaluation could not be used. */
  readonly tries: number
}

/** Null: it does not wait for the curator any more. */
export async function lockWaiting(transaction: Transaction, id: string): Promise<WaitingLearning | null> {
  const learning = await lockLearning(transaction, id)
  if (learning?.status !== 'PENDING') return null
  const { held, tries } = await transaction.learning.findUniqueOrThrow({
    where: { id },
    select: { held: true, tries: true },
  })
  return held ? null : { ...learning, tries }
}

async function lockUndecided(transaction: Transaction, id: string): Promise<LockedLearning | Refusal> {
  const learning = await lockLearning(transaction, id)
  return learning === undefined ? notFound('learning', id) : (refuseDeciding(learning) ?? learning)
}

async function lockLearning(transaction: Transaction, id: string): Promise<LockedLearning | undefined> {
  const [learning] = await transaction.$queryRaw<LockedLearning[]>`
    SELECT id, number, content, session_id AS "sessionId", status, decided_by AS "decidedBy", question_id AS "questionId",
      replaces_fact_id AS "replacesFactId", scope, scope_of AS "scopeOf"
    FROM learnings WHERE id = ${id} FOR UPDATE`
  return learning
}

/** Null: the learning may be promoted, asked about and discarded. */
export function refuseDeciding({
  id,
  number,
  status,
  decidedBy,
}: Pick<LockedLearning, 'id' | 'number' | 'status' | 'decidedBy'>): Refusal | null {
  if (status === 'PENDING' || status === 'REFUSED') return null
  if (status !== 'PROMOTED' && decidedBy !== null && isServerPart(decidedBy)) return null
  const by = decidedBy === null ? '' : ` by ${decidedBy}`
  return conflict('ALREADY_DECIDED', `Learning #${number} was decided${by} already: it is ${status}.`, id)
}

interface Decision {
  readonly learning: LockedLearning
  readonly columns: {
    readonly status: Exclude<LearningStatus, 'PENDING'>
    readonly factId?: string
    readonly replacesFactId?: string
    readonly repeatsFactId?: string | null
    readonly repeatsLearningId?: string | null
    readonly questionId?: string
    readonly reason?: string | null
  }
}

interface Becoming {
  readonly learning: LockedLearning
  /** In whose place it comes; null: no fact's. Locked, and in use. */
  readonly old: LockedFact | null
  readonly fact: NewFact
  readonly reason?: string | null
  /** The fact that it would replace stays the one that it names: after an undo it is asked about again. */
  readonly keepsOwn?: boolean
}

/** The learning becomes a fact, which no other one may say already. It must be locked, behind its session. */
export async function becomeFact(
  transaction: Transaction,
  editor: Editor,
  { learning, old, fact, reason = null, keepsOwn = false }: Becoming,
): Promise<LearningDecided> {
  const validFrom = old === null ? null : editor.at
  const factId = await insertFact(transaction, editor, { ...fact, validFrom })
  if (old !== null) await replaceFacts(transaction, editor, { facts: [old], factId })
  const replaced = old === null || keepsOwn ? {} : { replacesFactId: old.id }
  const columns = { status: 'PROMOTED', reason, factId, ...replaced } as const
  const decided = await decide(transaction, editor, { learning, columns })
  return old === null ? decided : { ...decided, changedIds: [...new Set([...decided.changedIds, old.id])] }
}

/** The learning must be locked, behind its session. */
export async function decide(
  transaction: Transaction,
  editor: Editor,
  { learning, columns }: Decision,
): Promise<LearningDecided> {
  const { id, sessionId } = learning
  const { status, factId, replacesFactId, questionId, reason = null } = columns
  const by = { decidedBy: editor.userName, decidedAt: editor.at, changeId: editor.changeId }
  await transaction.learning.update({
    where: { id },
    data: { held: false, questionId: null, reason: null, ...by, ...columns },
  })
  await recordChange(transaction, editor, { subjectId: id, sessionId, change: status, reason })
  const made = [factId, replacesFactId, questionId].filter((one) => one !== undefined)
  return withQuestionClosed(transaction, editor, { learning, changedIds: [id, ...made] })
}

/**
 * The question that a learning became is not asked any more when something else becomes of the learning, and of all
 * others that became it.
 */
async function withQuestionClosed(
  transaction: Transaction,
  editor: Editor,
  { learning, changedIds }: { readonly learning: LockedLearning; readonly changedIds: readonly string[] },
): Promise<LearningDecided> {
  const { id: learningId, questionId, sessionId, decidedBy } = learning
  const decided = { kind: 'LearningDecided', learningId, changedIds } as const
  if (questionId === null) return decided
  // What a person asks about a learning is a new question; the curator may have found one that was open for its own
  // sake.
  const madeBy = decidedBy !== null && isServerPart(decidedBy) ? 'CURATOR' : 'ADMIN'
  if (!(await closeQuestion(transaction, editor, { id: questionId, madeBy }))) return decided
  const sessionEvent = await recordSessionUpdate(transaction, editor, sessionId)
  return { ...decided, changedIds: [...changedIds, questionId], sessionEvent }
}
