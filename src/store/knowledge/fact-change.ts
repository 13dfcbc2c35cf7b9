/**
 * What the edits of facts have in common (knowledge-fact.ts, undo-change.ts, knowledge-learning.ts): facts are locked,
 * changed with a version that keeps what was before, and made, in the caller's transaction.
 */
import { conflict, notFound, type Refusal } from '../../core/refusal.ts'
import { GLOBAL_SCOPE, type Scope } from '../../core/knowledge/fact-scope.ts'
import type { FactChange, FactSource } from '../../core/status.ts'
import type { Prisma } from '../../generated/prisma/client.ts'
import { newId } from '../../platform/id.ts'
import type { FactState } from './fact-state.ts'
import { lockText, recordChange, type Editor, type NormalizedText, type Transaction } from './knowledge-edit.ts'

/** `changedIds`: every fact and learning that the edit touched, the fact itself included. */
export interface FactChanged {
  readonly kind: 'FactChanged'
  readonly factId: string
  readonly changedIds: readonly string[]
}

/** What a fact begins with. */
export interface NewFact {
  /** Named before it is made, by those that it replaces. */
  readonly id?: string
  readonly text: NormalizedText
  readonly scope: Scope
  readonly sessionId: string | null
  /** Since when it holds; null: since it is made. */
  readonly validFrom?: Date | null
  /** MANUAL when left out. */
  readonly source?: FactSource
}

/** A new fact of version 1, with its history; the caller has made sure that no other one says the same. */
export async function insertFact(
  transaction: Transaction,
  editor: Editor,
  { id = newId('fact'), text, scope, sessionId, validFrom = null, source = 'MANUAL' }: NewFact,
): Promise<string> {
  const { at, changeId, userName: changedBy } = editor
  const stamps = { validFrom, createdAt: at, updatedAt: at }
  const review = reviewedBy(editor)
  await transaction.fact.create({ data: { id, ...text, source, ...asColumns(scope), sessionId, ...stamps, ...review } })
  await transaction.factVersion.create({
    data: { factId: id, version: 1, ...text, change: 'CREATED', changedBy, at, changeId },
  })
  await recordChange(transaction, editor, { subjectId: id, sessionId, change: 'CREATED' })
  return id
}

/** What a fact says, and whom. */
export interface ScopedNorm extends Scope {
  readonly norm: string
}

/**
 * A refusal when a fact in use says the same to the same or to everybody, apart from those of `except`. Locks the text:
 * other transactions that add it wait for this one.
 */
export async function refuseTwin(
  transaction: Transaction,
  { norm, scope, scopeOf }: ScopedNorm,
  except: readonly string[] = [],
): Promise<Refusal | null> {
  await lockText(transaction, 'fact', norm)
  const shown = [{ scope, scopeOf }, GLOBAL_SCOPE]
  const twin = await transaction.fact.findFirst({
    select: { id: true, number: true },
    where: { norm, invalidatedAt: null, id: { notIn: [...except] }, OR: shown.map(asColumns) },
  })
  return twin === null
    ? null
    : conflict(
        'SAME_EXISTS',
        `Fact #${twin.number} says the same already. Edit that one, or say something else.`,
        twin.id,
      )
}

/** Nothing else that may be there besides. */
function asColumns({ scope, scopeOf }: Scope): Scope {
  return { scope, scopeOf }
}

interface Review {
  readonly reviewedBy: string | null
  readonly reviewedAt: Date | null
}

/** Who makes or rewrites a fact has reviewed it; parts of the server have not. */
export function reviewedBy({ userName, tokenName, at }: Editor): Review {
  return tokenName === null ? { reviewedBy: null, reviewedAt: null } : { reviewedBy: userName, reviewedAt: at }
}

const REVIEWED: ReadonlySet<FactChange> = new Set(['EDITED', 'REVERTED', 'RESTORED', 'CONSOLIDATED'])

/** {}: as it was. What an undo brings back need not have been reviewed by anybody. */
function reviewAfter(
  editor: Editor,
  { fact, change, columns }: Pick<FactEdit, 'fact' | 'change' | 'columns'>,
): Partial<Review> {
  if (REVIEWED.has(change)) return reviewedBy(editor)
  const isOther = columns.content !== undefined && columns.content !== fact.content
  return isOther ? { reviewedBy: null, reviewedAt: null } : {}
}

/** As it is while the transaction that locked it runs. */
export interface LockedFact extends FactState {
  readonly id: string
  /** By which people speak of it. */
  readonly number: number
  readonly version: number
  readonly sessionId: string | null
  /** Null: no person has reviewed it. */
  readonly reviewedAt: Date | null
  /** No model may change it. */
  readonly pinned: boolean
}

/** In order of id, as all who lock several. */
export async function lockFacts(transaction: Transaction, ids: readonly string[]): Promise<Map<string, LockedFact>> {
  const rows = await transaction.$queryRaw<LockedFact[]>`
    SELECT id, number, content, norm, version, session_id AS "sessionId", invalidated_at AS "invalidatedAt",
      replaced_by_id AS "replacedById", valid_from AS "validFrom", valid_to AS "validTo", scope, scope_of AS "scopeOf",
      reviewed_at AS "reviewedAt", pinned
    FROM facts WHERE id = ANY (${ids}::text[]) ORDER BY id FOR UPDATE`
  return new Map(rows.map((row) => [row.id, row]))
}

/** A refusal: there is none, or it is out of use. */
export async function lockLiveFact(transaction: Transaction, id: string): Promise<LockedFact | Refusal> {
  const fact = (await lockFacts(transaction, [id])).get(id)
  if (fact === undefined) return notFound('fact', id)
  return refuseChanging(fact) ?? fact
}

/** One change of one locked fact; `columns` that are left out stay. */
export interface FactEdit {
  readonly fact: LockedFact
  readonly change: FactChange
  readonly columns: Partial<FactState>
  readonly reason?: string | null
}

/** A version more, which keeps what was before. */
export async function changeFact(
  transaction: Transaction,
  editor: Editor,
  { fact, change, columns, reason = null }: FactEdit,
): Promise<FactChanged> {
  const { id: factId, sessionId, version: seen, reviewedAt: _reviewedAt, pinned: _pinned, ...state } = fact
  const { at, changeId, userName: changedBy } = editor
  const version = seen + 1
  const { content, norm } = { ...state, ...columns }
  const before = asJson(state)
  const review = reviewAfter(editor, { fact, change, columns })
  await transaction.fact.update({ where: { id: factId }, data: { ...columns, version, updatedAt: at, ...review } })
  await transaction.factVersion.create({
    data: { factId, version, content, norm, change, changedBy, reason, at, changeId, before },
  })
  await recordChange(transaction, editor, { subjectId: factId, sessionId, change, reason })
  return { kind: 'FactChanged', factId, changedIds: [factId] }
}

function asJson({ content, norm, replacedById, scope, scopeOf, ...times }: FactState): Prisma.InputJsonObject {
  const [invalidatedAt, validFrom, validTo] = [times.invalidatedAt, times.validFrom, times.validTo].map(
    (time) => time?.toISOString() ?? null,
  )
  return { content, norm, replacedById, invalidatedAt, validFrom, validTo, scope, scopeOf }
}

/** The facts do not hold any more from now on: the fact does in their place. */
export async function replaceFacts(
  transaction: Transaction,
  editor: Editor,
  { facts, factId }: { readonly facts: readonly LockedFact[]; readonly factId: string },
): Promise<void> {
  const columns = { invalidatedAt: editor.at, validTo: editor.at, replacedById: factId }
  for (const fact of facts)
    await changeFact(transaction, editor, { fact, change: 'REPLACED', columns, reason: `replaced by ${factId}` })
}

type Use = Pick<LockedFact, 'id' | 'number' | 'invalidatedAt'>

/** Null: the fact may be restored, unless another one says the same. */
export function refuseRestoring({ id, number, invalidatedAt }: Use): Refusal | null {
  if (invalidatedAt !== null) return null
  return conflict('NOTHING_TO_DO', `Fact #${number} is in use: there is nothing to restore.`, id)
}

/** Null: the fact may be edited, merged and invalidated. */
export function refuseChanging(fact: Use): Refusal | null {
  if (fact.invalidatedAt === null) return null
  return conflict(
    'INVALIDATED',
    `Fact #${fact.number} was invalidated at ${fact.invalidatedAt.toISOString()}. Restore it first, or create a new one.`,
    fact.id,
  )
}
