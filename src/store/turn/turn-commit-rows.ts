/** What of a turn's write goes into its statement (turn-commit.sql.ts) as JSON or as sums. */
import type { ModelCallRecord } from '../../core/model-call.ts'
import type { FinalTurnStatus } from '../../core/status.ts'
import type { JoinedEnd, TurnWrite } from '../../core/turn-write.ts'
import { newId } from '../../platform/id.ts'
import type { TurnRef } from './lease.ts'

/** An event's own fields are one object. */
export function eventRows(events: TurnWrite['events']): object[] {
  return events.map(({ at, turnId, body: { type, ...data } }) => ({ at, turn_id: turnId, type, data }))
}

/** A task is inserted with what is known of it so far. */
export function taskRows(tasks: NonNullable<TurnWrite['tasks']>): object[] {
  return tasks.map(({ patch, ...task }) => ({ ...task, ...patch }))
}

/** The patches with their tasks' ids. */
export function patchRows(patches: NonNullable<TurnWrite['taskPatches']>): object[] {
  return [...patches].map(([id, patch]) => ({ id, ...patch }))
}

/** Ids of the audit's entries for the change itself, the fact or question that comes of it, and the fact that goes. */
export function withAuditIds<Change extends object>(change: Change): Change & { auditIds: string[] } {
  return { ...change, auditIds: [newId('audit'), newId('audit'), newId('audit')] }
}

/** The turns that were taken along, as they end or wait again. */
export function joinedRows(joined: readonly JoinedEnd[]): object[] {
  return joined.map(({ turnId, status }) => ({ id: turnId, status }))
}

/** What all calls of a write cost together; null: no model was called. */
export function usageOf(calls: readonly ModelCallRecord[] = []) {
  if (calls.length === 0) return null
  const sum = (of: (call: ModelCallRecord) => number): number => calls.reduce((total, call) => total + of(call), 0)
  return {
    calls: calls.length,
    inputTokens: sum((call) => call.inputTokens),
    outputTokens: sum((call) => call.outputTokens),
    cachedTokens: sum((call) => call.cachedTokens),
    cost: calls.some((call) => call.cost !== null) ? sum((call) => call.cost ?? 0) : null,
  }
}

/** The message of a turn that ends, or one that it took along. */
interface EndedMessage {
  readonly id: string
  readonly status: FinalTurnStatus | 'QUEUED'
}

/** The messages that end with the turn, its own first. */
export function endedMessages(turn: TurnRef, finish: TurnWrite['finish']): EndedMessage[] {
  if (finish === undefined) return []
  const { status, joined = [] } = finish
  return [{ id: turn.messageId, status }, ...joined.map((end) => ({ id: end.messageId, status: end.status }))]
}

/**
 * New texts of messages, and the status of those that end, by id: of two updates of a row in one statement PostgreSQL
 * makes only one.
 */
export function messageRows(texts: TurnWrite['messageTexts'], ended: readonly EndedMessage[]): { id: string }[] {
  const rows = new Map<string, { id: string }>()
  for (const change of [...(texts ?? []), ...ended]) rows.set(change.id, { ...rows.get(change.id), ...change })
  return [...rows.values()]
}
