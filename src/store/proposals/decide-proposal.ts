/**
 * Decisions about proposals: one transaction each, in which all of its steps are done to facts, as one change, or none.
 * The proposal's row is locked first, so it is decided once; then the facts.
 */
import { GLOBAL_SCOPE } from '../../core/knowledge/fact-scope.ts'
import { conflict, notFound, type Refusal } from '../../core/refusal.ts'
import { newId } from '../../platform/id.ts'
import { must } from '../../platform/must.ts'
import type { Database } from '../database.ts'
import {
  changeFact,
  insertFact,
  lockFacts,
  refuseChanging,
  refuseTwin,
  type LockedFact,
} from '../knowledge/fact-change.ts'
import {
  editKnowledge,
  holdSessionsOf,
  recordChange,
  type Editor,
  type NormalizedText,
  type Transaction,
} from '../knowledge/knowledge-edit.ts'
import { proposalStepsSchema, type StoredStep } from './proposal-steps.ts'

/** The proposal is decided, committed. */
export interface ProposalDecided {
  readonly kind: 'ProposalDecided'
  readonly proposalId: string
  /** It, and the facts that it changed or made. */
  readonly changedIds: readonly string[]
}

/** What an admin says instead of a step's text, by the step's number. */
export type OtherTexts = ReadonlyMap<number, NormalizedText>

interface Acceptance {
  readonly id: string
  readonly texts: OtherTexts
  readonly normalized: (text: string) => NormalizedText
}

/**
 * NotFound without the proposal; Conflict, and nothing is done, when it was decided before, when one of its facts was
 * changed, pinned or reviewed since, or when another fact says already what one of its texts says.
 */
export function storeAcceptedProposal(
  database: Database,
  editor: Editor,
  { id, texts, normalized }: Acceptance,
): Promise<ProposalDecided | Refusal> {
  return editKnowledge(database, async (transaction) => {
    const steps = await lockWaiting(transaction, id)
    if ('kind' in steps) return steps
    const planned = await plan(transaction, { id, steps, texts, normalized })
    if ('kind' in planned) return planned
    const changedIds = await apply(transaction, editor, planned)
    await decide(transaction, editor, { id, status: 'ACCEPTED', reason: null })
    return { kind: 'ProposalDecided', proposalId: id, changedIds: [id, ...changedIds] }
  })
}

/** Nothing is done, and the same is not proposed again while its facts stay as they are. */
export function storeRejectedProposal(
  database: Database,
  editor: Editor,
  { id, reason }: { readonly id: string; readonly reason: string | null },
): Promise<ProposalDecided | Refusal> {
  return editKnowledge(database, async (transaction) => {
    const steps = await lockWaiting(transaction, id)
    if ('kind' in steps) return steps
    await decide(transaction, editor, { id, status: 'REJECTED', reason })
    return { kind: 'ProposalDecided', proposalId: id, changedIds: [id] }
  })
}

async function lockWaiting(transaction: Transaction, id: string): Promise<readonly StoredStep[] | Refusal> {
  const [row] = await transaction.$queryRaw<{ status: string; steps: unknown }[]>`
    SELECT status::text, steps FROM fact_proposals WHERE id = ${id} FOR UPDATE`
  if (row === undefined) return notFound('proposal', id)
  if (row.status === 'WAITING') return proposalStepsSchema.parse(row.steps)
  return conflict('ALREADY_DECIDED', `Proposal "${id}" is ${row.status}: the first decision stands.`, id)
}

interface PlannedStep {
  readonly operation: StoredStep['operation']
  readonly facts: readonly LockedFact[]
  readonly text: NormalizedText | null
  readonly reason: string | null
}

/** All its steps with their facts, which are locked and as they were proposed; or why it cannot be done. */
async function plan(
  transaction: Transaction,
  { id, steps, texts, normalized }: Acceptance & { readonly steps: readonly StoredStep[] },
): Promise<readonly PlannedStep[] | Refusal> {
  const sources = await transaction.proposalSource.findMany({ where: { proposalId: id } })
  const ids = sources.map(({ factId }) => factId)
  await holdSessionsOf(transaction, ids)
  const facts = await lockFacts(transaction, ids)
  for (const { factId, version } of sources) {
    const fact = facts.get(factId)
    if (fact === undefined) return notFound('fact', factId)
    const refusal = refuseChanging(fact)
    if (refusal !== null) return refusal
    if (fact.version !== version) return conflict('STALE_VERSION', changedSince(fact), factId)
    if (fact.pinned) return conflict('NOT_ALLOWED', `Fact #${fact.number} was pinned since: unpin it first.`, factId)
    if (fact.reviewedAt !== null) return conflict('NOT_ALLOWED', reviewedSince(fact), factId)
  }
  const planned = steps.map(({ operation, content, reason }, n): PlannedStep => {
    const own = sources.flatMap(({ step, factId }) => (step === n ? [must(facts.get(factId), 'locked')] : []))
    return { operation, reason, facts: own, text: content === null ? null : (texts.get(n) ?? normalized(content)) }
  })
  for (const { text } of planned) {
    const twin = text === null ? null : await refuseTwin(transaction, { ...GLOBAL_SCOPE, ...text }, ids)
    if (twin !== null) return twin
  }
  return planned
}

function changedSince({ number, version }: LockedFact): string {
  return `Fact #${number} was changed since: it is at version ${version}. Reject the proposal; what is alike then is proposed anew.`
}

/** Consolidation leaves alone what a person has reviewed. */
function reviewedSince({ number }: LockedFact): string {
  return `Fact #${number} was reviewed since. Reject the proposal; to change the fact all the same, edit or merge it.`
}

/** What goes out of use first: another fact may say the same from then on. */
async function apply(transaction: Transaction, editor: Editor, steps: readonly PlannedStep[]): Promise<string[]> {
  const change = 'CONSOLIDATED'
  const changed: string[] = []
  const made: { readonly id: string; readonly text: NormalizedText; readonly sessionId: string | null }[] = []
  for (const { operation, facts, text, reason } of steps) {
    if (operation === 'EDIT') continue
    const replacedById = text === null ? null : newId('fact')
    for (const fact of facts) {
      const columns = { invalidatedAt: editor.at, replacedById }
      const why = replacedById === null ? reason : `merged into ${replacedById}`
      await changeFact(transaction, editor, { fact, change, columns, reason: why })
      changed.push(fact.id)
    }
    const origins = new Set(facts.map(({ sessionId }) => sessionId))
    const sessionId = origins.size === 1 ? (facts[0]?.sessionId ?? null) : null
    if (replacedById !== null && text !== null) made.push({ id: replacedById, text, sessionId })
  }
  for (const { operation, facts, text } of steps) {
    const [fact] = facts
    if (operation !== 'EDIT' || text === null || fact === undefined) continue
    await changeFact(transaction, editor, { fact, change, columns: text })
    changed.push(fact.id)
  }
  for (const fact of made)
    changed.push(await insertFact(transaction, editor, { ...fact, scope: GLOBAL_SCOPE, source: 'SUMMARIZER' }))
  return changed
}

interface Decision {
  readonly id: string
  readonly status: 'ACCEPTED' | 'REJECTED'
  readonly reason: string | null
}

async function decide(transaction: Transaction, editor: Editor, { id, status, reason }: Decision): Promise<void> {
  const { at: decidedAt, userName: decidedBy, changeId } = editor
  const change = status === 'ACCEPTED' ? { changeId } : {}
  await transaction.proposal.update({ where: { id }, data: { status, reason, decidedAt, decidedBy, ...change } })
  await recordChange(transaction, editor, { subjectId: id, sessionId: null, change: status, reason })
}
