/**
 * Questions as admins open and resolve them: in one session, or, without one, in every session. Pages show those of
 * their session (Session.view), so a change of one is an event in its log.
 */
import { conflict, notFound, type Refusal } from '../../core/refusal.ts'
import type { SessionEvent } from '../../core/session-event.ts'
import type { QuestionSource, QuestionStatus } from '../../core/status.ts'
import { normalText } from '../../core/text/normal-text.ts'
import { newId } from '../../platform/id.ts'
import type { Database } from '../database.ts'
import { lockLiveFact, type FactChanged } from './fact-change.ts'
import {
  editKnowledge,
  lockSession,
  lockText,
  recordChange,
  recordSessionUpdate,
  type Editor,
  type NormalizedText,
  type Transaction,
} from './knowledge-edit.ts'

/** A question that was opened or resolved, committed. */
export interface QuestionChanged {
  readonly kind: 'QuestionChanged'
  readonly questionId: string
  /** The question itself. */
  readonly changedIds: readonly string[]
  /** Of the session in which it is asked; null when it is asked in all. */
  readonly sessionEvent: SessionEvent | null
}

interface NewQuestion {
  readonly id?: string
  readonly text: NormalizedText
  readonly sessionId: string | null
  /** ADMIN when left out. */
  readonly source?: QuestionSource
  /** That it is about. */
  readonly factIds?: readonly string[]
}

/**
 * Opens a question in one session, or in all of them with `sessionId` null. NotFound without that session, Conflict
 * when the same is open there: a repeat is refused so.
 */
export function storeCreatedQuestion(
  database: Database,
  editor: Editor,
  question: NewQuestion,
): Promise<QuestionChanged | Refusal> {
  const { text, sessionId } = question
  return editKnowledge(database, async (transaction) => {
    if (sessionId !== null && !(await lockSession(transaction, sessionId))) return notFound('session', sessionId)
    const twin = await refuseTwinQuestion(transaction, text.norm, sessionId)
    if (twin !== null) return twin
    const questionId = await insertQuestion(transaction, editor, question)
    return changed(questionId, await recordSession(transaction, editor, sessionId))
  })
}

/** A longer one is cut. */
const MAX_DISPUTE_CHARS = 2000

/**
 * A question to admins: whether the fact holds. NotFound without the fact, Conflict when it is out of use, or when what
 * this user said of it before is still open.
 */
export function storeDisputedFact(
  database: Database,
  editor: Editor,
  { factId, reason }: { readonly factId: string; readonly reason: string },
): Promise<FactChanged | Refusal> {
  return editKnowledge(database, async (transaction) => {
    const fact = await lockLiveFact(transaction, factId)
    if ('kind' in fact) return fact
    const content = `${editor.userName} says that this is wrong: ${reason}`.slice(0, MAX_DISPUTE_CHARS).toWellFormed()
    const text = { content, norm: disputeNorm(editor.userName, factId) }
    const twin = await refuseTwinQuestion(transaction, text.norm, null)
    if (twin !== null) return conflict('SAME_EXISTS', 'You have said so already; an admin will review it.', factId)
    const question = { text, sessionId: null, source: 'DISPUTE', factIds: [factId] } as const
    const questionId = await insertQuestion(transaction, editor, question)
    return { kind: 'FactChanged', factId, changedIds: [questionId, factId] }
  })
}

/** By which what a user says of a fact is said once at a time. */
export function disputeNorm(user: string, factId: string): string {
  return normalText(`dispute ${user} ${factId}`)
}

function changed(questionId: string, sessionEvent: SessionEvent | null): QuestionChanged {
  return { kind: 'QuestionChanged', questionId, changedIds: [questionId], sessionEvent }
}

/** An open question; the caller has made sure that its session is there and that no other one asks the same. */
export async function insertQuestion(
  transaction: Transaction,
  editor: Editor,
  { id = newId('question'), text, sessionId, source = 'ADMIN', factIds = [] }: NewQuestion,
): Promise<string> {
  await transaction.question.create({
    data: {
      id,
      content: text.content,
      norm: text.norm,
      sessionId,
      source,
      factIds: [...factIds],
      createdAt: editor.at,
    },
  })
  await recordChange(transaction, editor, { subjectId: id, sessionId, change: 'OPEN' })
  return id
}

/**
 * Whether it was open, of that source, and no learning waits for its answer: then it is resolved, without one. The
 * caller has locked its session.
 */
export async function closeQuestion(
  transaction: Transaction,
  editor: Editor,
  { id, madeBy }: { readonly id: string; readonly madeBy: QuestionSource },
): Promise<boolean> {
  // Of another source it is not locked: it may be one of all sessions, which stand in no order here.
  const made = await transaction.question.findUnique({ where: { id }, select: { source: true } })
  if (made?.source !== madeBy) return false
  const question = await lockQuestion(transaction, id)
  if (question?.status !== 'OPEN') return false
  if ((await transaction.learning.count({ where: { questionId: id, status: 'ASKED' } })) > 0) return false
  const data = { status: 'RESOLVED', resolvedBy: editor.userName, resolvedAt: editor.at } as const
  await transaction.question.update({ where: { id }, data })
  await recordChange(transaction, editor, { subjectId: id, sessionId: question.sessionId, change: 'RESOLVED' })
  return true
}

/** A refusal when the same is asked there already. Locks the text: other transactions that ask it wait for this one. */
export async function refuseTwinQuestion(
  transaction: Transaction,
  norm: string,
  sessionId: string | null,
): Promise<Refusal | null> {
  await lockText(transaction, 'question', norm)
  const twin = await transaction.question.findFirst({
    select: { id: true },
    where: { norm, sessionId, status: 'OPEN' },
  })
  return twin === null ? null : conflict('SAME_EXISTS', `Question "${twin.id}" asks the same and is open.`, twin.id)
}

/** Records in the session's log that it changed; null: the question is in no session. */
export async function recordSession(
  transaction: Transaction,
  editor: Editor,
  sessionId: string | null,
): Promise<SessionEvent | null> {
  return sessionId === null ? null : await recordSessionUpdate(transaction, editor, sessionId)
}

/** A question never changes its session. */
export async function lockSessionOf(transaction: Transaction, questionId: string): Promise<void> {
  const question = await transaction.question.findUnique({ where: { id: questionId }, select: { sessionId: true } })
  if (question?.sessionId != null) await lockSession(transaction, question.sessionId)
}

/** As it is while the transaction that locked it runs. */
export interface LockedQuestion {
  readonly id: string
  readonly factIds: readonly string[]
  readonly sessionId: string | null
  readonly status: QuestionStatus
  readonly resolvedBy: string | null
}

/** Undefined: there is none. */
export async function lockQuestion(transaction: Transaction, id: string): Promise<LockedQuestion | undefined> {
  const [question] = await transaction.$queryRaw<LockedQuestion[]>`
    SELECT id, fact_ids AS "factIds", session_id AS "sessionId", status, resolved_by AS "resolvedBy" FROM questions WHERE id = ${id} FOR UPDATE`
  return question
}

/** Null: the question may be resolved. */
export function refuseResolving({
  id,
  status,
  resolvedBy,
}: Pick<LockedQuestion, 'id' | 'status' | 'resolvedBy'>): Refusal | null {
  if (status === 'OPEN') return null
  const by = resolvedBy === null ? '' : ` by ${resolvedBy}`
  return conflict('ALREADY_DECIDED', `Question "${id}" was resolved${by} already.`, id)
}
