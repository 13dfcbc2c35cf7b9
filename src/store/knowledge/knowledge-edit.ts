/**
 * What the edits of facts, learnings and questions by people have in common (knowledge-fact.ts, knowledge-learning.ts,
 * knowledge-question.ts). An edit is one transaction: it locks the rows it is about, then the text it writes, refuses
 * or writes, and leaves an audit entry for everything it touched. Nothing is ever deleted.
 *
 * A session's row is locked first, as turns do, then other rows, then texts: one order in all transactions, so that
 * none deadlocks.
 */
import type { AuditBody } from '../../core/audit-entry.ts'
import type { SessionEvent } from '../../core/session-event.ts'
import type { Prisma } from '../../generated/prisma/client.ts'
import { newId } from '../../platform/id.ts'
import type { Database } from '../database.ts'
import { toAppError } from '../to-app-error.ts'

/** Prisma's client of the transaction that `editKnowledge` has open; of no use once that has ended. */
export type Transaction = Prisma.TransactionClient

/** Who edits, and when: what history and audit say. */
export interface Editor {
  readonly userName: string
  /** Null: a part of the server. */
  readonly tokenName: string | null
  /** What it does to facts is this change. */
  readonly changeId: string
  readonly at: Date
}

/** A text, and what repetitions of it are recognised by (core/text/normal-text.ts). */
export interface NormalizedText {
  readonly content: string
  readonly norm: string
}

/** What was done to one fact, learning or question. */
export interface KnowledgeChange {
  readonly subjectId: string
  readonly sessionId: string | null
  /** In the words of FactChange, or the status reached. */
  readonly change: Extract<AuditBody, { kind: 'KNOWLEDGE' }>['change']
  readonly reason?: string | null
}

/**
 * What `edit` returns is returned when it is committed. Rejects with an AppError when the database cannot be reached.
 */
export async function editKnowledge<Result>(
  database: Database,
  edit: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  try {
    return await database.prisma.$transaction(edit)
  } catch (error) {
    if (!isTwin(error)) throw toAppError(error)
  }
  // A turn has committed the same text at this moment: now the edit sees it.
  try {
    return await database.prisma.$transaction(edit)
  } catch (error) {
    throw toAppError(error)
  }
}

/** Of a unique index, as Prisma calls it. */
function isTwin(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'P2002'
}

/** Writes the audit entry of a change, which is committed with the change or not at all. */
export async function recordChange(
  transaction: Transaction,
  { at, userName: actor, tokenName }: Editor,
  { subjectId, sessionId, change, reason = null }: KnowledgeChange,
): Promise<void> {
  const data = { subjectId, change, reason }
  await transaction.auditEntry.create({
    data: { id: newId('audit'), at, kind: 'KNOWLEDGE', sessionId, turnId: null, actor, tokenName, data },
  })
}

/** Whether the session is there; if so, nothing else is appended to its log until the end of the transaction. */
export async function lockSession(transaction: Transaction, sessionId: string): Promise<boolean> {
  const rows = await transaction.$queryRaw<object[]>`SELECT id FROM sessions WHERE id = ${sessionId} FOR NO KEY UPDATE`
  return rows.length > 0
}

/** Appends to the log of a session, which must be locked, that something changed outside a turn that its pages show. */
export async function recordSessionUpdate(
  transaction: Transaction,
  { at }: Editor,
  sessionId: string,
): Promise<SessionEvent> {
  const data = { lastSeq: { increment: 1 } }
  const { lastSeq: seq } = await transaction.session.update({
    where: { id: sessionId },
    data,
    select: { lastSeq: true },
  })
  await transaction.event.create({ data: { sessionId, seq, at, turnId: null, type: 'SessionUpdated', data: {} } })
  return { type: 'SessionUpdated', sessionId, seq, at, turnId: null }
}

/** Until the transaction ends, other transactions that lock the same text of this kind wait. */
export async function lockText(transaction: Transaction, kind: 'fact' | 'question', norm: string): Promise<void> {
  await transaction.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${`${kind} ${norm}`}, 0))`
}

/**
 * The sessions of these facts stay until the end of the transaction: it may make a fact of theirs. Before the facts are
 * locked, as by a deletion.
 */
export async function holdSessionsOf(transaction: Transaction, factIds: readonly string[]): Promise<void> {
  await transaction.$queryRaw`SELECT id FROM sessions WHERE id IN (
      SELECT session_id FROM facts WHERE id = ANY (${factIds}::text[])) ORDER BY id FOR KEY SHARE`
}

/** Whether the session is there; if so, it stays until the end of the transaction. */
export async function holdSession(transaction: Transaction, sessionId: string): Promise<boolean> {
  const rows = await transaction.$queryRaw<object[]>`SELECT id FROM sessions WHERE id = ${sessionId} FOR KEY SHARE`
  return rows.length > 0
}
