/**
 * Facts back to what they were: one to an earlier version, or all that one change touched. Nothing is lost by it: each
 * is a new version, which can be undone in its turn.
 */
import { conflict, notFound, type Refusal } from '../../core/refusal.ts'
import { normalText } from '../../core/text/normal-text.ts'
import type { Database } from '../database.ts'
import { changeFact, lockFacts, lockLiveFact, refuseTwin, type FactChanged, type LockedFact } from './fact-change.ts'
import { factStateSchema, type FactState } from './fact-state.ts'
import { editKnowledge, lockSession, recordChange, type Editor, type Transaction } from './knowledge-edit.ts'

/** What a change did to facts is undone, committed. */
export interface ChangeUndone {
  readonly kind: 'ChangeUndone'
  readonly changeId: string
  readonly factIds: readonly string[]
  /** Those facts, learnings that wait again, and the proposal that it was. */
  readonly changedIds: readonly string[]
}

/**
 * The fact says again what it said in `version`. NotFound without the fact or the version, Conflict when it is out of
 * use, says that already, or when another fact does.
 */
export function storeRevertedFact(
  database: Database,
  editor: Editor,
  { id, version }: { readonly id: string; readonly version: number },
): Promise<FactChanged | Refusal> {
  return editKnowledge(database, async (transaction) => {
    const fact = await lockLiveFact(transaction, id)
    if ('kind' in fact) return fact
    const said = await transaction.factVersion.findUnique({ where: { factId_version: { factId: id, version } } })
    if (said === null) return notFound(`version ${version} of the fact`, id)
    if (said.content === fact.content) return conflict('NOTHING_TO_DO', `Fact "${id}" says that already.`, id)
    const { content } = said
    const columns = { content, norm: normalText(content) }
    const twin = await refuseTwin(transaction, { ...fact, ...columns }, [id])
    if (twin !== null) return twin
    return await changeFact(transaction, editor, {
      fact,
      change: 'REVERTED',
      columns,
      reason: `to version ${version}`,
    })
  })
}

/**
 * All facts that the change touched are as before it, or none: those that it made go out of use, and learnings of which
 * it made them wait for a person again. NotFound without the change; Conflict when a fact was changed since, or when
 * another fact says by now what one of them would say again.
 */
export function storeUndoneChange(
  database: Database,
  editor: Editor,
  changeId: string,
): Promise<ChangeUndone | Refusal> {
  return editKnowledge(database, async (transaction) => {
    const versions = await transaction.factVersion.findMany({ where: { changeId }, orderBy: { factId: 'asc' } })
    if (versions.length === 0) return notFound('change', changeId)
    const ids = versions.map(({ factId }) => factId)
    const learnings = await lockLearningsOf(transaction, ids)
    const facts = await lockFacts(transaction, ids)
    const steps = versions.flatMap(({ factId, version, before }) => {
      const fact = facts.get(factId)
      const state = before === null ? null : factStateSchema.parse(before)
      return fact === undefined ? [] : [{ fact, isLast: fact.version === version, state, isNew: version === 1 }]
    })
    const changed = steps.find(({ isLast }) => !isLast)
    if (changed !== undefined) return changedSince(changed.fact)
    const kept = steps.find(({ state, isNew }) => state === null && !isNew)
    if (kept !== undefined) return conflict('NOTHING_TO_DO', 'What was before this change was not kept.', kept.fact.id)
    for (const { state } of steps) {
      if (state === null || state.invalidatedAt !== null) continue
      const twin = await refuseTwin(transaction, state, ids)
      if (twin !== null) return twin
    }
    const reason = `undid ${changeId}`
    // What goes out of use first: what comes back may say the same.
    for (const { fact, state } of steps.toSorted((a, b) => Number(isBack(a.state)) - Number(isBack(b.state))))
      await changeFact(transaction, editor, { fact, change: 'UNDONE', columns: state ?? gone(editor), reason })
    const proposals = await transaction.proposal.findMany({ where: { changeId, status: 'ACCEPTED' } })
    await transaction.proposal.updateMany({ where: { changeId, status: 'ACCEPTED' }, data: { status: 'UNDONE' } })
    const made = new Set(steps.flatMap(({ fact, isNew }) => (isNew ? [fact.id] : [])))
    const waiting = learnings.filter(({ factId }) => made.has(factId))
    for (const { id, sessionId } of waiting) await reopen(transaction, editor, { id, sessionId })
    const others = [...waiting, ...proposals].map(({ id }) => id)
    return { kind: 'ChangeUndone', changeId, factIds: ids, changedIds: [...ids, ...others] }
  })
}

const isBack = (state: FactState | null): boolean => state?.invalidatedAt === null
const gone = ({ at }: Editor): Partial<FactState> => ({ invalidatedAt: at, validTo: at })

function changedSince({ id, version }: LockedFact): Refusal {
  const message = `Fact "${id}" was changed since: it is at version ${version}. Undo that change first.`
  return conflict('STALE_VERSION', message, id)
}

interface MadeOf {
  readonly id: string
  readonly sessionId: string
  readonly factId: string
}

/** Behind their sessions, before the facts. */
async function lockLearningsOf(transaction: Transaction, factIds: readonly string[]): Promise<MadeOf[]> {
  const learnings = await transaction.learning.findMany({
    where: { factId: { in: [...factIds] }, status: 'PROMOTED' },
    select: { sessionId: true },
  })
  for (const sessionId of [...new Set(learnings.map((one) => one.sessionId))].sort())
    await lockSession(transaction, sessionId)
  return transaction.$queryRaw<MadeOf[]>`SELECT id, session_id AS "sessionId", fact_id AS "factId" FROM learnings
    WHERE fact_id = ANY (${factIds}::text[]) AND status = 'PROMOTED' ORDER BY id FOR UPDATE`
}

async function reopen(
  transaction: Transaction,
  editor: Editor,
  { id, sessionId }: { readonly id: string; readonly sessionId: string },
): Promise<void> {
  const { changeId } = editor
  const undecided = { decidedBy: null, decidedAt: null, reason: null, factId: null, changeId }
  const data = { status: 'PENDING', held: true, flags: { push: 'REOPENED' }, ...undecided } as const
  await transaction.learning.update({ where: { id }, data })
  await recordChange(transaction, editor, { subjectId: id, sessionId, change: 'REOPENED' })
}
