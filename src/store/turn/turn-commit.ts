/**
 * The one way in which a turn writes: events and the changes they tell of, in one statement, fenced by the lease. The
 * update of the session row comes first: it checks the lease, takes the row's lock and draws the `seq`s, and every
 * other part hangs on its result. Who lost the lease therefore writes nothing at all, and order of commit is order of
 * seq.
 *
 * The write that ends the last turn of the queue also gives the session back, and so does one behind which messages are
 * still collected. Whether something waits is asked of the session's own row, which PostgreSQL reads again after
 * waiting for its lock: a message accepted a moment before is seen.
 *
 * An answer to a question whose outcome the plan said takes two statements in one transaction: what is learned from it
 * must be a row before it is decided, and a statement does not see what it writes.
 */
import { hash } from 'node:crypto'
import { AppError } from '../../core/errors.ts'
import type { SessionEvent } from '../../core/session-event.ts'
import type { BusyPolicy } from '../../core/status.ts'
import type { TurnWrite } from '../../core/turn-write.ts'
import type { Database, Queryable, Statement } from '../database.ts'
import { sql } from '../sql.ts'
import type { Lease, TurnRef } from './lease.ts'
import { sharePrompts } from './system-prompts.ts'
import { commitSql, type ReadyWrite } from './turn-commit.sql.ts'

/** What the database answers to a commit, for what the turn does next. */
export interface Committed {
  readonly events: readonly SessionEvent[]
  /** The turn's end was requested, perhaps at another node. */
  readonly cancelRequested: boolean
  /** The turn's user is a participant of the session. */
  readonly participates: boolean
  /**
   * The turn ended and nothing is to follow it now, or it waits without a worker: the session is free, and the lease is
   * no more.
   */
  readonly released: boolean
  /** As of this commit. */
  readonly busyPolicy: BusyPolicy
  /** Turns of the session that have ended since its last checkpoint. */
  readonly turnsSinceCheckpoint: number
  /** Texts wait to be posted to the session's webhook. */
  readonly hasDeliveries: boolean
}

/** Commits `write`. Throws AppError LEASE_LOST when another node has the session now; then nothing was written. */
export async function commitTurn(
  database: Pick<Database, 'query' | 'transaction'>,
  target: Target,
  write: TurnWrite,
): Promise<Committed> {
  const prompts = sharePrompts(database, write.callTexts ?? [])
  const ready = { ...write, callTexts: prompts.texts, prompts: prompts.due }
  const row = settlesAnswers(write)
    ? await database.transaction((transaction) => runWithAnswers(transaction, target, ready))
    : await run(database, target, ready)
  prompts.noteKept()
  return toCommitted(target, write, row)
}

interface Target {
  readonly lease: Lease
  readonly turn: TurnRef
}

/** Whether it decides about what it learns of an answer. */
function settlesAnswers({ answers = [], curations = [] }: TurnWrite): boolean {
  return answers.some(({ learning }) => curations.some(({ learningId }) => learningId === learning?.id))
}

/** The answers first; what else is written may give the session back, and without the lease nothing is written. */
async function runWithAnswers(
  transaction: Queryable,
  target: Target,
  { answers = [], ...rest }: ReadyWrite,
): Promise<Row> {
  await run(transaction, target, { events: [], prompts: [], answers })
  return run(transaction, target, rest)
}

async function run(database: Queryable, { lease, turn }: Target, write: ReadyWrite): Promise<Row> {
  const { statement, values } = render(lease, turn, write)
  const [row] = await database.query<Row>(statement, values)
  if (row === undefined) throw new AppError('LEASE_LOST', `the lease of session ${lease.sessionId} was lost`)
  return row
}

function toCommitted({ lease }: Target, write: TurnWrite, row: Row): Committed {
  const events = write.events.map((event, index) => ({
    ...event.body,
    seq: row.base + index + 1,
    at: event.at,
    sessionId: lease.sessionId,
    turnId: event.turnId,
  }))
  const settledElsewhere = new Set(write.settledApprovals?.map(({ id }) => id)).difference(new Set(row.settled))
  return {
    // What settled an approval before this could has told of it; the log has none of ours there either.
    events: events.filter((event) => event.type !== 'Approval' || !settledElsewhere.has(event.approvalId)),
    cancelRequested: row.cancel_requested,
    participates: row.participates,
    released: row.released,
    busyPolicy: row.busy_policy,
    turnsSinceCheckpoint: row.turns_since,
    hasDeliveries: row.has_webhook && write.deliveries !== undefined && write.deliveries.length > 0,
  }
}

interface Row {
  readonly base: number
  readonly turns_since: number
  /** With `settledApprovals`. */
  readonly settled?: readonly string[]
  readonly released: boolean
  readonly busy_policy: BusyPolicy
  readonly cancel_requested: boolean
  readonly participates: boolean
  readonly has_webhook: boolean
}

/** Values are bound, so the texts are few, and each is prepared. */
function render(lease: Lease, turn: TurnRef, write: ReadyWrite): { statement: Statement; values: unknown[] } {
  const values: unknown[] = [lease.sessionId, lease.node, lease.epoch, turn.id]
  const text = commitSql(turn, write, (value) => sql`$${values.push(value)}`)
  // Named by the whole text: two texts under one name are an error. PostgreSQL compares a name's first 63 characters
  // only.
  return { statement: { name: `turn.${hash('sha1', text)}`, text, plansOnce: true }, values }
}
