/**
 * Facts back to what they were: one to an earlier version, or all that one change touched. Nothing is lost by it: each
 * is a new version, which can be undone in its turn.
 */
import { conflict, notFound, type Refusal } from '../../core/refusal.ts'
import type { LearningFlag } from '../../core/status.ts'
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
  /** Those facts, learnings that wait again or are facts again, and the proposal that it was. */
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
    if (said.content === fact.content) return conflict('NOTHING_TO_DO', `Fact #${fact.number} says that already.`, id)
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
 * it made them wait for a person again. Where it was an undo, its learnings and its proposal are again what they were.
 * NotFound without the change; Conflict when a fact was changed since, or when
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
    const learnings = await lockLearningsOf(transaction, ids, changeId)
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
    const made = new Set(steps.flatMap(({ fact, isNew }) => (isNew ? [fact.id] : [])))
    const back = steps.filter(({ state }) => isBack(state)).map(({ fact }) => fact.id)
    const decided = await decideAgain(transaction, editor, { changeId, learnings, made, back })
    const others = [...decided, ...(await turnProposals(transaction, editor, changeId))]
    return { kind: 'ChangeUndone', changeId, factIds: ids, changedIds: [...ids, ...others] }
  })
}

const isBack = (state: FactState | null): boolean => state?.invalidatedAt === null
const gone = ({ at }: Editor): Partial<FactState> => ({ invalidatedAt: at, validTo: at })

function changedSince({ id, number, version }: LockedFact): Refusal {
  const message = `Fact #${number} was changed since: it is at version ${version}. Undo that change first.`
  return conflict('STALE_VERSION', message, id)
}

interface MadeOf {
  readonly id: string
  readonly sessionId: string
  /** Null: it waits, as the change took its fact out of use. */
  readonly factId: string | null
  readonly changeId: string | null
  readonly flags: readonly LearningFlag[]
}

/** What became facts, and what the change has reopened. Behind their sessions, before the facts. */
async function lockLearningsOf(
  transaction: Transaction,
  factIds: readonly string[],
  changeId: string,
): Promise<MadeOf[]> {
  const sessions = await transaction.$queryRaw<{ id: string }[]>`
    SELECT session_id AS id FROM learnings WHERE fact_id = ANY (${factIds}::text[]) AND status = 'PROMOTED'
    UNION SELECT session_id FROM facts WHERE id = ANY (${factIds}::text[]) AND session_id IS NOT NULL`
  const ids = sessions.map(({ id }) => id).toSorted()
  for (const id of ids) await lockSession(transaction, id)
  return transaction.$queryRaw<MadeOf[]>`
    SELECT id, session_id AS "sessionId", fact_id AS "factId", change_id AS "changeId", flags::text[] FROM learnings
    WHERE id IN (SELECT id FROM learnings WHERE fact_id = ANY (${factIds}::text[]) AND status = 'PROMOTED'
      UNION ALL SELECT id FROM learnings WHERE session_id = ANY (${ids}::text[]) AND status = 'PENDING' AND change_id = ${changeId})
    ORDER BY id FOR UPDATE`
}

interface Undone {
  readonly changeId: string
  readonly learnings: readonly MadeOf[]
  /** Facts that the change had made. */
  readonly made: ReadonlySet<string>
  /** Facts that are in use again. */
  readonly back: readonly string[]
}

/** Returns the ids of learnings of which something else has become. */
async function decideAgain(
  transaction: Transaction,
  editor: Editor,
  { changeId, learnings, made, back }: Undone,
): Promise<string[]> {
  // With several it is not known which one was made of what.
  const [factId] = back.length === 1 ? back : []
  const decided: string[] = []
  for (const learning of learnings) {
    const isOfChange = learning.changeId === changeId
    if (learning.factId !== null && (isOfChange || made.has(learning.factId)))
      await reopen(transaction, editor, learning)
    else if (learning.factId === null && isOfChange && factId !== undefined)
      await promoteAgain(transaction, editor, { learning, factId })
    else continue
    decided.push(learning.id)
  }
  return decided
}

/** A proposal that the change was is undone; one that the change had undone is accepted again. Returns their ids. */
async function turnProposals(transaction: Transaction, editor: Editor, changeId: string): Promise<string[]> {
  const proposals = await transaction.proposal.findMany({
    select: { id: true, status: true },
    where: { changeId, status: { in: ['ACCEPTED', 'UNDONE'] } },
  })
  for (const { id, status } of proposals) {
    const data = { status: status === 'ACCEPTED' ? 'UNDONE' : 'ACCEPTED', changeId: editor.changeId } as const
    await transaction.proposal.update({ where: { id }, data })
  }
  return proposals.map(({ id }) => id)
}

async function reopen(transaction: Transaction, editor: Editor, { id, sessionId }: MadeOf): Promise<void> {
  const { changeId } = editor
  const undecided = { decidedBy: null, decidedAt: null, reason: null, factId: null, changeId }
  const data = { status: 'PENDING', held: true, flags: { push: 'REOPENED' }, ...undecided } as const
  await transaction.learning.update({ where: { id }, data })
  await recordChange(transaction, editor, { subjectId: id, sessionId, change: 'REOPENED' })
}

async function promoteAgain(
  transaction: Transaction,
  editor: Editor,
  { learning: { id, sessionId, flags }, factId }: { readonly learning: MadeOf; readonly factId: string },
): Promise<void> {
  const by = { decidedBy: editor.userName, decidedAt: editor.at, changeId: editor.changeId }
  const data = {
    status: 'PROMOTED',
    held: false,
    factId,
    flags: flags.toSpliced(flags.lastIndexOf('REOPENED'), 1),
  } as const
  await transaction.learning.update({ where: { id }, data: { ...data, ...by } })
  await recordChange(transaction, editor, { subjectId: id, sessionId, change: 'PROMOTED' })
}
