/**
 * Facts as admins edit them: each edit raises the fact's version and leaves a row in its history. A fact that was
 * invalidated stays and can be restored; merging invalidates the facts that went into another one and says which.
 */
import { conflict, notFound, type Refusal } from '../../core/refusal.ts'
import type { FactChange } from '../../core/status.ts'
import { newId } from '../../platform/id.ts'
import type { Database } from '../database.ts'
import {
  editKnowledge,
  holdSession,
  lockText,
  recordChange,
  type Editor,
  type NormalizedText,
  type Transaction,
} from './knowledge-edit.ts'

/** `changedIds`: every fact and learning that the edit touched, the fact itself included. */
export interface FactChanged {
  readonly kind: 'FactChanged'
  readonly factId: string
  readonly changedIds: readonly string[]
}

/**
 * Stores a fact of source MANUAL; `sessionId` names the session that it came from. NotFound without that session,
 * Conflict when a fact in use says the same: a repeat is refused so, and names the first.
 */
export function storeCreatedFact(
  database: Database,
  editor: Editor,
  { text, sessionId }: { readonly text: NormalizedText; readonly sessionId: string | null },
): Promise<FactChanged | Refusal> {
  return editKnowledge(database, async (transaction) => {
    if (sessionId !== null && !(await holdSession(transaction, sessionId))) return notFound('session', sessionId)
    const twin = await refuseTwin(transaction, text.norm)
    if (twin !== null) return twin
    const factId = await insertFact(transaction, editor, { text, sessionId })
    return { kind: 'FactChanged', factId, changedIds: [factId] }
  })
}

/** `version`: the one that the editor has seen; another one is a conflict. Saying the same again changes nothing. */
export function storeEditedFact(
  database: Database,
  editor: Editor,
  edit: { readonly id: string; readonly version: number; readonly text: NormalizedText },
): Promise<FactChanged | Refusal> {
  const { id, version, text } = edit
  return editKnowledge(database, async (transaction) => {
    const fact = await lockLiveFact(transaction, id)
    if ('kind' in fact) return fact
    if (fact.version !== version) return stale(fact, version)
    if (fact.content === text.content) return { kind: 'FactChanged', factId: id, changedIds: [] }
    const twin = await refuseTwin(transaction, text.norm, [id])
    if (twin !== null) return twin
    return await changeFact(transaction, editor, { fact, change: 'EDITED', columns: text })
  })
}

/** The facts of `ids` (two at least, each once) are replaced by a new one. */
export function storeMergedFacts(
  database: Database,
  editor: Editor,
  { ids, text }: { readonly ids: readonly string[]; readonly text: NormalizedText },
): Promise<FactChanged | Refusal> {
  return editKnowledge(database, async (transaction) => {
    const facts = await lockFacts(transaction, ids)
    for (const id of ids) {
      const fact = facts.get(id)
      if (fact === undefined) return notFound('fact', id)
      const refusal = refuseChanging(fact)
      if (refusal !== null) return refusal
    }
    const twin = await refuseTwin(transaction, text.norm, ids)
    if (twin !== null) return twin
    const sources = [...facts.values()]
    const sessionIds = new Set(sources.map((fact) => fact.sessionId))
    const sessionId = sessionIds.size === 1 ? (sources[0]?.sessionId ?? null) : null
    const factId = await insertFact(transaction, editor, { text, sessionId })
    for (const fact of sources) {
      const columns = { invalidatedAt: editor.at, replacedById: factId }
      await changeFact(transaction, editor, { fact, change: 'MERGED', columns, reason: `merged into ${factId}` })
    }
    return { kind: 'FactChanged', factId, changedIds: [factId, ...ids] }
  })
}

/**
 * Takes a fact out of use; `storeRestoredFact` undoes it. NotFound without the fact, Conflict when it is out of use
 * already.
 */
export function storeInvalidatedFact(
  database: Database,
  editor: Editor,
  { id, reason }: { readonly id: string; readonly reason: string | null },
): Promise<FactChanged | Refusal> {
  return editKnowledge(database, async (transaction) => {
    const fact = await lockLiveFact(transaction, id)
    if ('kind' in fact) return fact
    const columns = { invalidatedAt: editor.at }
    return await changeFact(transaction, editor, { fact, change: 'INVALIDATED', columns, reason })
  })
}

/**
 * Brings a fact back that was invalidated or merged. Conflict when it is in use, or when another fact in use says the
 * same by now.
 */
export function storeRestoredFact(database: Database, editor: Editor, id: string): Promise<FactChanged | Refusal> {
  return editKnowledge(database, async (transaction) => {
    const fact = (await lockFacts(transaction, [id])).get(id)
    if (fact === undefined) return notFound('fact', id)
    const inUse = refuseRestoring(fact)
    if (inUse !== null) return inUse
    const twin = await refuseTwin(transaction, fact.norm)
    if (twin !== null) return twin
    const columns = { invalidatedAt: null, replacedById: null }
    return await changeFact(transaction, editor, { fact, change: 'RESTORED', columns })
  })
}

/** A new fact of version 1, with its history; the caller has made sure that no other one says the same. */
export async function insertFact(
  transaction: Transaction,
  editor: Editor,
  { text, sessionId }: { readonly text: NormalizedText; readonly sessionId: string | null },
): Promise<string> {
  const { at, userName: changedBy } = editor
  const id = newId('fact')
  const stamps = { createdAt: at, updatedAt: at }
  await transaction.fact.create({ data: { id, ...text, source: 'MANUAL', sessionId, ...stamps } })
  await transaction.factVersion.create({
    data: { factId: id, version: 1, ...text, change: 'CREATED', changedBy, at },
  })
  await recordChange(transaction, editor, { subjectId: id, sessionId, change: 'CREATED' })
  return id
}

/**
 * A refusal when a fact in use says the same, apart from those of `except`. Locks the text: other transactions that add
 * it wait for this one.
 */
export async function refuseTwin(
  transaction: Transaction,
  norm: string,
  except: readonly string[] = [],
): Promise<Refusal | null> {
  await lockText(transaction, 'fact', norm)
  const twin = await transaction.fact.findFirst({
    select: { id: true },
    where: { norm, invalidatedAt: null, id: { notIn: [...except] } },
  })
  return twin === null
    ? null
    : conflict('SAME_EXISTS', `Fact "${twin.id}" says the same already. Edit that one, or say something else.`, twin.id)
}

interface LockedFact {
  readonly id: string
  readonly content: string
  readonly norm: string
  readonly version: number
  readonly sessionId: string | null
  readonly invalidatedAt: Date | null
}

async function lockFacts(transaction: Transaction, ids: readonly string[]): Promise<Map<string, LockedFact>> {
  const rows = await transaction.$queryRaw<LockedFact[]>`
    SELECT id, content, norm, version, session_id AS "sessionId", invalidated_at AS "invalidatedAt"
    FROM facts WHERE id = ANY (${ids}::text[]) ORDER BY id FOR UPDATE`
  return new Map(rows.map((row) => [row.id, row]))
}

async function lockLiveFact(transaction: Transaction, id: string): Promise<LockedFact | Refusal> {
  const fact = (await lockFacts(transaction, [id])).get(id)
  if (fact === undefined) return notFound('fact', id)
  return refuseChanging(fact) ?? fact
}

interface FactEdit {
  readonly fact: LockedFact
  readonly change: FactChange
  readonly columns: Partial<NormalizedText & { invalidatedAt: Date | null; replacedById: string | null }>
  readonly reason?: string | null
}

async function changeFact(
  transaction: Transaction,
  editor: Editor,
  { fact, change, columns, reason = null }: FactEdit,
): Promise<FactChanged> {
  const { id: factId, sessionId } = fact
  const { at, userName: changedBy } = editor
  const version = fact.version + 1
  const { content, norm } = { ...fact, ...columns }
  await transaction.fact.update({ where: { id: factId }, data: { ...columns, version, updatedAt: at } })
  await transaction.factVersion.create({ data: { factId, version, content, norm, change, changedBy, reason, at } })
  await recordChange(transaction, editor, { subjectId: factId, sessionId, change, reason })
  return { kind: 'FactChanged', factId, changedIds: [factId] }
}

function stale(fact: LockedFact, seen: number): Refusal {
  return conflict(
    'STALE_VERSION',
    `Fact "${fact.id}" was changed meanwhile: you have seen version ${seen}, it is at version ${fact.version}. ` +
      'Read it again and repeat your edit on what it says now.',
    fact.id,
  )
}

type FactState = Pick<LockedFact, 'id' | 'invalidatedAt'>

/** Null: the fact may be restored, unless another one says the same. */
export function refuseRestoring({ id, invalidatedAt }: FactState): Refusal | null {
  if (invalidatedAt !== null) return null
  return conflict('NOTHING_TO_DO', `Fact "${id}" is in use: there is nothing to restore.`, id)
}

/** Null: the fact may be edited, merged and invalidated. */
export function refuseChanging(fact: FactState): Refusal | null {
  if (fact.invalidatedAt === null) return null
  return conflict(
    'INVALIDATED',
    `Fact "${fact.id}" was invalidated at ${fact.invalidatedAt.toISOString()}. Restore it first, or create a new one.`,
    fact.id,
  )
}
