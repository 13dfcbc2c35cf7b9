/**
 * The shortest way from a message to its turn: the statement that stores the message (intake-message.ts) also claims
 * its session and starts the turn, when the session is idle. Fragments of that statement, and what is made of its
 * answer.
 *
 * It must see all that was said in the session: it reads from its snapshot, and may have waited for another
 * transaction's commit. So the turn begins only when the row, once it is locked, is the one of the snapshot: `xmin`
 * names the transaction that wrote it (https://www.postgresql.org/docs/current/ddl-system-columns.html).
 */
import type { BusyPolicy, ConversationType } from '../../core/status.ts'
import { NO_USAGE } from '../../core/usage.ts'
import { must } from '../../platform/must.ts'
import { receivedEvent, type OpenTurn, type TakenSession, type TurnLimits } from '../turn/begin-turn.ts'
import { isListed } from '../nodes.ts'
import { saidBeforeSql, type SaidBefore } from '../turn/turn-history.ts'
import { hasPlace, waitsLonger } from '../turn/user-share.ts'

/** Which node may begin the turn in the statement that stores its message, and the limits that hold for it. */
export interface TurnStart {
  /** Who runs it. */
  readonly node: number
  readonly limits: TurnLimits
}

/** The parameters that `PLACE`, `takesSql`, `takesAnewSql` and `BEGUN` read, with PostgreSQL's types. */
export const BEGIN_INPUT = {
  node: 'int',
  summarize_threshold: 'int',
  knowledge_max_facts: 'int',
  share: 'int',
} as const

/** The values of `BEGIN_INPUT`. */
export function beginInput({ node, limits }: TurnStart): Readonly<Record<keyof typeof BEGIN_INPUT, unknown>> {
  return {
    node,
    summarize_threshold: limits.summarizeThreshold,
    knowledge_max_facts: limits.knowledgeMaxFacts,
    share: limits.maxRunningPerUser,
  }
}

/**
 * A CTE, with a comma behind it: whether the node may begin it, and the user has a place for the turn. Asked once, and
 * only when nothing else is in its way.
 */
export const PLACE = `place AS MATERIALIZED (
    SELECT ${isListed('input.node')} AND NOT ${waitsLonger('input.user_name', 'now()')}
      AND ${hasPlace('input.user_name', 'input.share')} AS free FROM input),
  `
const HAS_PLACE = '(SELECT free FROM place)'

/**
 * Whether the turn begins in the session `s`, whose row is locked; the row may be newer than the statement's snapshot,
 * and missing there. `runs`: the message has one.
 */
export function takesSql(runs: string): string {
  return `((${runs} AND s.owner IS NULL AND s.ready_at IS NULL AND s.queue_length = 0 AND s.status IN ('IDLE', 'INACTIVE')
        AND s.xmin = (SELECT seen.xmin FROM sessions seen WHERE seen.id = (SELECT session_id FROM input))
        AND ${HAS_PLACE}) IS TRUE)`
}

/** Whether the turn begins in the session that its message opens. */
export function takesAnewSql(runs: string): string {
  return `(${runs} AND NOT EXISTS (SELECT 1 FROM sessions seen WHERE seen.id = input.session_id) AND ${HAS_PLACE})`
}

/** A CTE, with a comma behind it: the first event of the turn. */
export const RECEIVED = `received AS (
    INSERT INTO events (session_id, seq, at, turn_id, type, data)
    SELECT input.session_id, session.seq + 1, input.at, input.turn_id, 'PipelineStep', '{"step": "RECEIVED", "detail": null}'
    FROM session, input WHERE session.taken),
  `

/** What the answer says of a turn that has begun. */
export interface BegunWithMessage {
  /** The message's. */
  readonly seq: number
  readonly epoch: number
  readonly conversationType: ConversationType
  readonly busyPolicy: BusyPolicy
  readonly timeZone: string | null
  readonly participates: boolean
  readonly saidBefore: SaidBefore
}

const SAID_BEFORE = saidBeforeSql({
  sessionId: 'input.session_id',
  turnId: 'input.turn_id',
  seq: 'session.seq',
  summarizeThreshold: 'input.summarize_threshold',
  knowledgeMaxFacts: 'input.knowledge_max_facts',
})

/** A BegunWithMessage as SQL; NULL when the turn waits. */
export const BEGUN = `CASE WHEN session.taken THEN jsonb_build_object('seq', session.seq, 'epoch', session.epoch,
      'conversationType', session.source_type, 'busyPolicy', session.busy_policy, 'timeZone', session.time_zone,
      'participates', input.joins OR EXISTS (
        SELECT 1 FROM participants p WHERE p.session_id = input.session_id AND p.user_name = input.user_name),
      'saidBefore', ${SAID_BEFORE}) END`

interface AcceptedMessage {
  readonly id: string
  readonly sessionId: string
  readonly userName: string | null
  readonly mentioned: boolean
  readonly content: string
  readonly client: string
  readonly at: Date
}

/**
 * The session that the statement claimed for `node`, with its turn and the RECEIVED event, which comes right after the
 * message's own `seq`.
 */
export function takenSession(
  { epoch, ...known }: BegunWithMessage,
  { message, turnId, node }: { readonly message: AcceptedMessage; readonly turnId: string; readonly node: number },
): TakenSession {
  const { sessionId, at } = message
  const turn: OpenTurn = {
    ...known,
    id: turnId,
    messageId: message.id,
    userName: must(message.userName, 'who starts a turn has a name'),
    tokenName: message.client,
    content: message.content,
    mentioned: message.mentioned,
    startedAt: at,
    resumed: false,
    cancelRequested: false,
    step: null,
    failure: null,
    takeovers: 0,
    usage: NO_USAGE,
    waiting: 0,
  }
  const events = [receivedEvent({ sessionId, turnId, seq: known.seq + 1, at })]
  return { lease: { sessionId, node, epoch }, begun: { kind: 'Begun', turn, events } }
}
