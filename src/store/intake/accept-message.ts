/**
 * A message enters: its row, its turn, its event and the session's counters in one statement, so that an accepted
 * message is committed whole before its sender is answered. Everything hangs on the session's row, which is written
 * first: its lock puts the messages of a session in order, and `seq` comes from it without gaps. When the session is
 * idle the statement also claims it and starts the turn: the shortest way from a message to its turn.
 */
import type { ClientTrace } from '../../core/identity.ts'
import type { BusyPolicy, ConversationType, MessageRole, SessionMode } from '../../core/status.ts'
import type { DirectCall } from '../../core/tool/direct-call.ts'
import { BugError, must } from '../../platform/must.ts'
import { NO_USAGE } from '../../core/usage.ts'
import type { Database } from '../database.ts'
import { receivedEvent, type OpenTurn, type TakenSession, type TurnLimits } from '../turn/begin-turn.ts'
import type { HeldRows } from '../../core/dialogue.ts'
import { heldInput, withHeld, type SaidBeforeRow } from '../turn/turn-history.ts'
import { accessInput, openerInput, type SessionAccess } from './intake-access.ts'
import { auditInput, type Actor } from './intake-audit.ts'
import {
  ACCEPT,
  ACCEPT_AND_BEGIN,
  ACCEPT_AND_BEGIN_THERE,
  ACCEPT_THERE,
  STORE,
  type BEGIN_INPUT,
  type MESSAGE_INPUT,
} from './accept-message.sql.ts'
import { sourceInput, type SessionSource } from './intake-session.ts'

/**
 * A message as it is to be stored: its id is drawn, its content is redacted and within the limits (src/intake/message).
 */
export interface IncomingMessage {
  readonly id: string
  readonly sessionId: string
  readonly role: MessageRole
  /** The user, or the platform identity of an untrusted sender; null when the client itself speaks. */
  readonly userName: string | null
  readonly trusted: boolean
  /** The client says that it is directed at the agent. */
  readonly mentioned: boolean
  readonly content: string
  readonly preview: string
  /** The name of the token that brought it; idempotency keys are its own. */
  readonly client: string
  readonly idempotencyKey: string | null
  /** When the message was written; `at` is when it came. */
  readonly createdAt: Date
  readonly at: Date
  /** The sender becomes a participant. */
  readonly joins: boolean
  /** Names of files that were uploaded. */
  readonly attachments: readonly string[]
  /** The tool that it calls; null: a model answers it. */
  readonly call: DirectCall | null
  /** The trace that it comes from. */
  readonly trace?: ClientTrace | null
}

/** Which node may begin the turn in the statement that stores its message, and the limits that hold for it. */
export interface TurnStart {
  /** Who runs it. */
  readonly node: number
  readonly limits: TurnLimits
  /** What this process holds of what was said; null: nothing. */
  readonly held?: HeldRows | null
}

interface NewTurn {
  readonly id: string
  readonly maxQueued: number
  /**
   * Whether the message gets the turn, by what the session turns out to be; otherwise it is stored
   * (core/session/route-message.ts).
   */
  readonly startsIn: Readonly<Record<ConversationType, boolean>>
  /** For how long it waits for others of its kind; 0: not at all. */
  readonly collectWindowMs: number
  /** Null: as the session says. */
  readonly mode: SessionMode | null
  /** Whose running turn it may cancel where the session's policy is INTERRUPT. */
  readonly interrupts: 'NONE' | 'OWN' | 'ALL'
  /** Who runs it at once if the session is idle; null or left out: it waits until it is taken. */
  readonly start?: TurnStart | null
}

/** What became of the message. It was stored with Accepted alone. */
export type AcceptResult =
  /**
   * `turnId`: null when the message has no turn. `interrupted`: the running turn that is to end for it. `taken`: the
   * session, if its turn has been started (`start`).
   */
  | {
      readonly kind: 'Accepted'
      readonly seq: number
      readonly turnId: string | null
      readonly interrupted: string | null
      readonly taken: TakenSession | null
    }
  /** The idempotency key is known. `same`: it came with the same content from the same sender. */
  | { readonly kind: 'Duplicate'; readonly messageId: string; readonly same: boolean }
  | { readonly kind: 'QueueFull' }
  /** There is no such session, and `access.opener` has as many as they may. */
  | { readonly kind: 'NoQuota' }
  /** There is no such session for this caller. */
  | { readonly kind: 'NoSession' }

/** NotOpener: the caller sees the session, but such a message is for who opened it to bring. */
export type StoreResult = AcceptResult | { readonly kind: 'NotOpener' }

/** A message, its turn, and what becomes of its session if there is none. */
export interface AcceptOptions {
  readonly message: IncomingMessage
  readonly turn: NewTurn
  readonly source: SessionSource
  readonly mayOpen?: boolean
  /** How many sessions the opener may have; null: any number. */
  readonly maxSessions: number | null
  /** Of the session, if it is opened. */
  readonly openingMode: SessionMode
  /** What the session is called if it is opened, and the time zone that it has from now on; none: as it is. */
  readonly named?: { readonly description: string; readonly timeZone: string }
  /** The turn that is tried again, and who asked for it. */
  readonly retry?: { readonly of: string; readonly by: Actor }
}

const ONE_MESSAGE: ReadonlySet<unknown> = new Set(['messages_session_id_client_idempotency_key_key', 'messages_pkey'])

/** Each further attempt means that another transaction's commit came between; more than a few in a row cannot be. */
const MAX_ATTEMPTS = 5

/**
 * Stores `message`, with `turn` to run where it starts one, and opens the session from `source` when there is none;
 * with `mayOpen` false there must be one.
 */
export async function acceptMessage(
  database: Database,
  access: SessionAccess,
  { message, turn, source, mayOpen = true, maxSessions, openingMode, named, retry }: AcceptOptions,
): Promise<AcceptResult> {
  const input = {
    ...messageInput(access, message),
    ...sourceInput(source),
    turn_id: turn.id,
    runs_direct: turn.startsIn.DIRECT,
    runs_in_group: turn.startsIn.GROUP,
    max_queued: turn.maxQueued,
    collect_window_ms: turn.collectWindowMs,
    interrupts: turn.interrupts,
    opened_by: access.opener,
    max_sessions: maxSessions,
    description: named?.description ?? null,
    time_zone: named?.timeZone ?? null,
    mode: turn.mode,
    opening_mode: openingMode,
    retry_of: retry?.of ?? null,
    ...auditInput(retry?.by ?? openerOf(access, message)),
  }
  const { start = null } = turn
  const isHeld = start?.held != null
  // The smaller statements, where the turn cannot begin or the session must be there, leave the database less to do.
  const run = (opens: boolean): Promise<Row[]> =>
    start === null || turn.collectWindowMs > 0
      ? (opens ? ACCEPT : ACCEPT_THERE)<Row>(database, input)
      : (opens ? ACCEPT_AND_BEGIN : ACCEPT_AND_BEGIN_THERE)<Row>(database, { ...input, ...beginInput(start) })
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const opens = mayOpen && !(isHeld && attempt === 0)
    const row = await runOnce(() => run(opens))
    if (row === 'raced' || (row.outcome === 'UNSEEN' && mayOpen)) continue
    if (row.outcome === 'NO_QUOTA') return { kind: 'NoQuota' }
    if (row.outcome === 'BARRED' || row.outcome === 'UNSEEN') return { kind: 'NoSession' }
    // Only searched for, a session may have been deleted meanwhile instead: the next statement sees which it was.
    if (row.outcome === 'FULL' && !opens && attempt === 0) continue
    if (row.outcome === 'FULL') return { kind: 'QueueFull' }
    return stored(row, { message, turnId: turn.id, start })
  }
  throw new BugError(`message ${message.id} lost every race for session ${message.sessionId}`)
}

/** Whom the audit names when the message opens a session: its sender, if that is known. */
function openerOf(access: SessionAccess, { trusted, userName }: IncomingMessage): SessionAccess {
  return trusted ? { ...access, userName } : access
}

/** Stores `message` without a turn in a session that exists. */
export async function storeMessage(
  database: Database,
  access: SessionAccess,
  message: IncomingMessage,
): Promise<StoreResult> {
  const input = { ...messageInput(access, message), ...openerInput(access) }
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const row = await runOnce(() => STORE<Row>(database, input))
    if (row === 'raced') continue
    if (row.outcome === 'NOT_OPENER') return { kind: 'NotOpener' }
    return row.outcome === null ? stored(row, { message, turnId: null, start: null }) : { kind: 'NoSession' }
  }
  throw new BugError(`message ${message.id} lost every race for session ${message.sessionId}`)
}

interface Row {
  /** Null: see `seq` or `prior_id`. Otherwise why nothing was stored. */
  outcome: 'NO_QUOTA' | 'UNSEEN' | 'BARRED' | 'FULL' | 'NOT_OPENER' | null
  seq: number | null
  runs: boolean | null
  interrupted: string | null
  begun: BegunWithMessage | null
  prior_id: string | null
  same: boolean | null
}

/**
 * Two calls with one idempotency key, or one id that was made before, as of a delegated task, that do not see each
 * other: the second to commit fails and finds the first next time.
 */
async function runOnce(run: () => Promise<Row[]>): Promise<Row | 'raced'> {
  try {
    const [row] = await run()
    if (row === undefined) throw new BugError('the statement answers in one row')
    return row
  } catch (error) {
    const { code, constraint } = error as { code?: unknown; constraint?: unknown }
    if (code === '23505' && ONE_MESSAGE.has(constraint)) return 'raced'
    throw error
  }
}

/** `turnId`: what its turn is called, should the message have one; `start`: who runs it, should it have begun. */
function stored(
  row: Row,
  given: { readonly message: IncomingMessage; readonly turnId: string | null; readonly start: TurnStart | null },
): AcceptResult {
  const { seq, interrupted, begun } = row
  if (seq === null) {
    if (row.prior_id !== null) return { kind: 'Duplicate', messageId: row.prior_id, same: row.same === true }
    throw new BugError('a message is stored, a duplicate or refused')
  }
  const { message, start } = given
  const turnId = row.runs === true ? given.turnId : null
  const hasBegun = begun !== null && turnId !== null && start !== null
  const taken = hasBegun ? takenSession(begun, { message, turnId, start }) : null
  return { kind: 'Accepted', seq, turnId, interrupted, taken }
}

/** What the answer says of a turn that has begun. */
interface BegunWithMessage {
  /** The message's. */
  readonly seq: number
  readonly epoch: number
  readonly conversationType: ConversationType
  readonly busyPolicy: BusyPolicy
  readonly mode: SessionMode
  readonly timeZone: string | null
  readonly participates: boolean
  readonly saidBefore: SaidBeforeRow
}

/**
 * The session that the statement claimed for `start.node`, with its turn and the RECEIVED event, which comes right
 * after the message's own `seq`.
 */
function takenSession(
  { epoch, saidBefore, ...known }: BegunWithMessage,
  {
    message,
    turnId,
    start: { node, held = null },
  }: { readonly message: IncomingMessage; readonly turnId: string; readonly start: TurnStart },
): TakenSession {
  const { sessionId, at } = message
  const turn: OpenTurn = {
    ...known,
    saidBefore: withHeld(saidBefore, held),
    id: turnId,
    messageId: message.id,
    userName: must(message.userName, 'who starts a turn has a name'),
    tokenName: message.client,
    content: message.content,
    role: message.role,
    writtenAt: message.createdAt,
    call: message.call,
    mentioned: message.mentioned,
    startedAt: at,
    resumed: false,
    cancelRequested: false,
    step: null,
    failure: null,
    failureDetail: null,
    takeovers: 0,
    usage: NO_USAGE,
    waiting: 0,
    trace: message.trace ?? null,
  }
  const events = [receivedEvent({ sessionId, turnId, seq: known.seq + 1, at })]
  return { lease: { sessionId, node, epoch }, begun: { kind: 'Begun', turn, events } }
}

function beginInput({ node, limits, held = null }: TurnStart): Record<keyof typeof BEGIN_INPUT, unknown> {
  return {
    node,
    summarize_threshold: limits.summarizeThreshold,
    share: limits.maxRunningPerUser,
    ...heldInput(held),
  }
}

function messageInput(access: SessionAccess, message: IncomingMessage): Record<keyof typeof MESSAGE_INPUT, unknown> {
  return {
    message_id: message.id,
    session_id: message.sessionId,
    role: message.role,
    user_name: message.userName,
    trusted: message.trusted,
    mentioned: message.mentioned,
    content: message.content,
    preview: message.preview,
    client: message.client,
    idempotency_key: message.idempotencyKey,
    created_at: message.createdAt,
    at: message.at,
    joins: message.joins,
    attachments: message.attachments,
    call: message.call === null ? null : JSON.stringify(message.call),
    trace_parent: message.trace?.parent ?? null,
    trace_state: message.trace?.state ?? null,
    ...accessInput(access),
  }
}
