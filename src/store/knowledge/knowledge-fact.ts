/**
 * Facts as admins edit them: each edit raises the fact's version and leaves a row in its history. A fact that was
 * invalidated stays and can be restored; merging invalidates the facts that went into another one and says which.
 */
import { isSameScope, scopeKey, type Scope } from '../../core/knowledge/fact-scope.ts'
import { conflict, notFound, type Refusal } from '../../core/refusal.ts'
import { newId } from '../../platform/id.ts'
import type { Database } from '../database.ts'
import {
  changeFact,
  insertFact,
  lockFacts,
  lockLiveFact,
  refuseChanging,
  refuseRestoring,
  refuseTwin,
  reviewedBy,
  type FactChanged,
  type LockedFact,
  type NewFact,
} from './fact-change.ts'
import {
  editKnowledge,
  holdSession,
  holdSessionsOf,
  recordChange,
  type Editor,
  type NormalizedText,
} from './knowledge-edit.ts'

/**
 * Stores a fact of source MANUAL; `sessionId` names the session that it came from. NotFound without that session,
 * Conflict when a fact in use says the same: a repeat is refused so, and names the first.
 */
export function storeCreatedFact(
  database: Database,
  editor: Editor,
  { text, scope, sessionId }: NewFact,
): Promise<FactChanged | Refusal> {
  return editKnowledge(database, async (transaction) => {
    if (sessionId !== null && !(await holdSession(transaction, sessionId))) return notFound('session', sessionId)
    const twin = await refuseTwin(transaction, { ...text, ...scope })
    if (twin !== null) return twin
    const factId = await insertFact(transaction, editor, { text, scope, sessionId })
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
    const twin = await refuseTwin(transaction, { ...fact, ...text }, [id])
    if (twin !== null) return twin
    return await changeFact(transaction, editor, { fact, change: 'EDITED', columns: text })
  })
}

/** `version`: the one that the reviewer has seen; another one is a conflict. A second review changes nothing. */
export function storeReviewedFact(
  database: Database,
  editor: Editor,
  { id, version }: { readonly id: string; readonly version: number },
): Promise<FactChanged | Refusal> {
  return editKnowledge(database, async (transaction) => {
    const fact = await lockLiveFact(transaction, id)
    if ('kind' in fact) return fact
    if (fact.version !== version) return stale(fact, version)
    if (fact.reviewedAt !== null) return { kind: 'FactChanged', factId: id, changedIds: [] }
    await transaction.fact.update({ where: { id }, data: reviewedBy(editor) })
    await recordChange(transaction, editor, { subjectId: id, sessionId: fact.sessionId, change: 'REVIEWED' })
    return { kind: 'FactChanged', factId: id, changedIds: [id] }
  })
}

/**
 * No version is made of it, as nothing is said or shown otherwise. NotFound without the fact, Conflict when it is out
 * of use; a repeat changes nothing.
 */
export function storePinnedFact(
  database: Database,
  editor: Editor,
  { id, pinned }: { readonly id: string; readonly pinned: boolean },
): Promise<FactChanged | Refusal> {
  return editKnowledge(database, async (transaction) => {
    const fact = await lockLiveFact(transaction, id)
    if ('kind' in fact) return fact
    if (fact.pinned === pinned) return { kind: 'FactChanged', factId: id, changedIds: [] }
    await transaction.fact.update({ where: { id }, data: { pinned } })
    const change = pinned ? 'PINNED' : 'UNPINNED'
    await recordChange(transaction, editor, { subjectId: id, sessionId: fact.sessionId, change })
    return { kind: 'FactChanged', factId: id, changedIds: [id] }
  })
}

/** The facts of `ids` (two at least, each once) are replaced by a new one. */
export function storeMergedFacts(
  database: Database,
  editor: Editor,
  { ids, text }: { readonly ids: readonly string[]; readonly text: NormalizedText },
): Promise<FactChanged | Refusal> {
  return editKnowledge(database, async (transaction) => {
    await holdSessionsOf(transaction, ids)
    const facts = await lockFacts(transaction, ids)
    for (const id of ids) {
      const fact = facts.get(id)
      if (fact === undefined) return notFound('fact', id)
      const refusal = refuseChanging(fact)
      if (refusal !== null) return refusal
    }
    const sources = [...facts.values()]
    const [scope, ...others] = new Map(sources.map((fact) => [scopeKey(fact), fact])).values()
    if (scope === undefined || others.length > 0) return conflict('NOT_ALLOWED', SCOPES_DIFFER)
    const twin = await refuseTwin(transaction, { ...scope, ...text }, ids)
    if (twin !== null) return twin
    const sessionIds = new Set(sources.map((fact) => fact.sessionId))
    const sessionId = sessionIds.size === 1 ? (sources[0]?.sessionId ?? null) : null
    const factId = newId('fact')
    // First, as it may say what one of them does: a text is in use once.
    for (const fact of sources) {
      const columns = { invalidatedAt: editor.at, replacedById: factId }
      await changeFact(transaction, editor, { fact, change: 'MERGED', columns, reason: `merged into ${factId}` })
    }
    await insertFact(transaction, editor, { id: factId, text, scope, sessionId })
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
    const twin = await refuseTwin(transaction, fact)
    if (twin !== null) return twin
    const columns = { invalidatedAt: null, replacedById: null, validTo: null }
    return await changeFact(transaction, editor, { fact, change: 'RESTORED', columns })
  })
}

const SCOPES_DIFFER = 'The facts are of different scopes: give them one scope first (setFactScopes).'

/**
 * The fact is shown to others from now on. NotFound without it, Conflict when it is out of use, of that scope already,
 * or when another one says the same there.
 */
export function storeScopedFact(
  database: Database,
  editor: Editor,
  { id, scope }: { readonly id: string; readonly scope: Scope },
): Promise<FactChanged | Refusal> {
  return editKnowledge(database, async (transaction) => {
    const fact = await lockLiveFact(transaction, id)
    if ('kind' in fact) return fact
    if (isSameScope(fact, scope)) return conflict('NOTHING_TO_DO', `Fact #${fact.number} is of that scope already.`, id)
    const twin = await refuseTwin(transaction, { ...scope, norm: fact.norm }, [id])
    if (twin !== null) return twin
    const reason = `from ${nameOf(fact)} to ${nameOf(scope)}`
    return await changeFact(transaction, editor, { fact, change: 'SCOPED', columns: scope, reason })
  })
}

const nameOf = ({ scope, scopeOf }: Scope): string => (scopeOf === '' ? scope : `${scope} ${scopeOf}`)

function stale(fact: LockedFact, seen: number): Refusal {
  return conflict(
    'STALE_VERSION',
    `Fact #${fact.number} was changed meanwhile: you have seen version ${seen}, it is at version ${fact.version}. ` +
      'Read it again and repeat your edit on what it says now.',
    fact.id,
  )
}
