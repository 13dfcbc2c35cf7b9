/**
 * What of a session is copied up to one of its events: all that was said by then, and the turns that had said all that
 * they had to say. Of other turns nothing is copied: their messages are on record without a turn.
 */
import type { TurnStatus } from '../core/status.ts'
import { STATEMENT_TIMEOUT_MS, type Queryable, type Statement } from '../store/database.ts'

/** Events that a copy has, besides those of messages: what tells of rows that it has, and what came of them. */
const COPIED_EVENTS = ['PipelineStep', 'PlanCreated', 'TaskUpdate', 'TextCompleted', 'Review', 'TurnCompleted']

/** The copy's log has its own numbers, without gaps. */
export interface ForkPlan {
  readonly kind: 'Plan'
  readonly upTo: number
  /** The `seq` of each message, there and in the copy. */
  readonly seqOf: ReadonlyMap<number, number>
  readonly turnIds: ReadonlySet<string>
  /** Of their messages, there. */
  readonly turnSeqs: ReadonlySet<number>
  readonly copiesEvent: (event: {
    readonly seq: number
    readonly type: string
    readonly turnId: string | null
  }) => boolean
  /** Of the copy, before the event that tells of its opening. */
  readonly lastSeq: number
  /** Turns that ended by themselves. */
  readonly turnCount: number
  /** What was said last. */
  readonly lastSaid: string | null
  /** Whether what was made of the conversation is made of what is copied alone. */
  readonly keeps: { readonly summary: boolean; readonly workingMemory: boolean }
}

export type ForkOutcome =
  | ForkPlan
  | { readonly kind: 'NoSession' }
  /** `lastSeq`: of the session, which has no event of that number. */
  | { readonly kind: 'NoSuchEvent'; readonly lastSeq: number }
  | { readonly kind: 'Busy'; readonly turnId: string }
  /** The turn of the message `seq` says its last text with the event `lastSaid`, and one before it by then. */
  | { readonly kind: 'WithinTurn'; readonly seq: number; readonly lastSaid: number }

interface Source {
  readonly lastSeq: number
  readonly summarySeq: number
  readonly checkpointAt: number | null
}

interface Turn {
  readonly id: string
  readonly seq: number
  readonly status: TurnStatus
  readonly joinedInto: string | null
  readonly firstSaid: number | null
  /** By when all was said: its last text, or its end if it said nothing. */
  readonly saidBy: number | null
}

/**
 * `upTo` null: all. Holds the session's row until the end of the transaction, so that nothing is erased or deleted
 * meanwhile; what is said goes on.
 */
export async function planFork(client: Queryable, sessionId: string, upTo: number | null): Promise<ForkOutcome> {
  const [source] = await client.query<Source>(SOURCE, [sessionId])
  if (source === undefined) return { kind: 'NoSession' }
  const { lastSeq } = source
  const end = upTo ?? lastSeq
  if (end < 0 || end > lastSeq) return { kind: 'NoSuchEvent', lastSeq }
  const turns = await client.query<Turn>(TURNS, [sessionId, end])
  const running = turns.find(({ status }) => status === 'RUNNING' || status === 'AWAITING_APPROVAL')
  if (running !== undefined) return { kind: 'Busy', turnId: running.id }
  const cut = turns.find(({ firstSaid, saidBy }) => firstSaid !== null && firstSaid <= end && (saidBy ?? 0) > end)
  if (cut !== undefined) return { kind: 'WithinTurn', seq: cut.seq, lastSaid: cut.saidBy ?? 0 }

  const isOver = (turn: Turn): boolean => turn.saidBy !== null && turn.saidBy <= end
  const ownEnd = new Map(turns.map((turn) => [turn.id, isOver(turn)]))
  const copied = turns.filter(({ joinedInto, ...turn }) =>
    joinedInto === null ? ownEnd.get(turn.id) === true : ownEnd.get(joinedInto) === true,
  )
  const turnIds = new Set(copied.map(({ id }) => id))
  const left = new Set(turns.filter(({ id }) => !turnIds.has(id)).map(({ seq }) => seq))
  const all = [sessionId, end, COPIED_EVENTS, [...turnIds]]
  const said = await client.query<{ seq: number; n: number }>(MESSAGES, all)
  const [{ count, content } = { count: 0, content: null }] = await client.query<Ending>(ENDING, all)
  const { summarySeq, checkpointAt } = source
  return {
    kind: 'Plan',
    upTo: end,
    seqOf: new Map(said.map(({ seq, n }) => [seq, n])),
    turnIds,
    turnSeqs: new Set(copied.map(({ seq }) => seq)),
    copiesEvent: ({ seq, type, turnId }) =>
      type === 'MessageReceived' ? seq <= end : COPIED_EVENTS.includes(type) && turnId !== null && turnIds.has(turnId),
    lastSeq: count,
    turnCount: copied.filter(({ joinedInto }) => joinedInto === null).length,
    lastSaid: content,
    keeps: {
      summary: summarySeq <= end && ![...left].some((seq) => seq <= summarySeq),
      workingMemory: checkpointAt !== null && checkpointAt <= end,
    },
  }
}

interface Ending {
  readonly count: number
  readonly content: string | null
}

const statement = (name: string, text: string): Statement => {
  return { name: `fork.${name}`, text, timeoutMs: STATEMENT_TIMEOUT_MS }
}

const SOURCE = statement(
  'source',
  `SELECT s.last_seq AS "lastSeq", s.summary_seq AS "summarySeq", (SELECT max(e.seq) FROM events e
      WHERE e.session_id = s.id AND e.type = 'Checkpoint' AND (e.data->>'ok')::boolean) AS "checkpointAt"
    FROM sessions s WHERE s.id = $1 FOR KEY SHARE OF s`,
)

const TURNS = statement(
  'turns',
  `SELECT t.id, t.seq, t.status, t.joined_into AS "joinedInto", said.first AS "firstSaid", coalesce(said.last, said.ended) AS "saidBy"
    FROM turns t LEFT JOIN (
      SELECT e.turn_id, min(e.seq) FILTER (WHERE e.type = 'TextCompleted') AS first,
        max(e.seq) FILTER (WHERE e.type = 'TextCompleted') AS last, max(e.seq) FILTER (WHERE e.type = 'TurnCompleted') AS ended
      FROM events e WHERE e.session_id = $1 AND e.type IN ('TextCompleted', 'TurnCompleted') GROUP BY e.turn_id) said
      ON said.turn_id = t.id
    WHERE t.session_id = $1 AND t.seq <= $2 ORDER BY t.seq`,
)

const COPIED = `SELECT e.seq, e.type, e.data, (row_number() OVER (ORDER BY e.seq))::int AS n FROM events e
    WHERE e.session_id = $1 AND (e.type = 'MessageReceived' AND e.seq <= $2 OR e.type = ANY ($3::text[]) AND e.turn_id = ANY ($4::text[]))`

const MESSAGES = statement('messages', `SELECT seq, n FROM (${COPIED}) e WHERE type = 'MessageReceived'`)

const ENDING = statement(
  'ending',
  `WITH copied AS MATERIALIZED (${COPIED})
    SELECT (SELECT count(*)::int FROM copied) AS count, (
      SELECT coalesce(m.content, c.data->>'content') FROM copied c LEFT JOIN messages m ON m.id = c.data->>'messageId'
      WHERE c.type IN ('MessageReceived', 'TextCompleted') ORDER BY c.seq DESC LIMIT 1) AS content`,
)
