/**
 * The events of one turn, from the log: until it has ended, or waits for a decision. Where another turn takes its
 * message along, those of that one.
 */
import type { Operations } from './operations.ts'
import { Refused } from './refused.ts'
import { READ_TURN, TURN_EVENTS, type Asking, type TurnData, type TurnEvent } from './turn-documents.ts'

const ASKS: ReadonlySet<string> = new Set(['TurnPausedEvent', 'ApprovalEvent'])
const MAY_END: ReadonlySet<string> = new Set(['TurnCompletedEvent', ...ASKS])
/** Statuses of turns that have ended. */
export const OVER: ReadonlySet<string> = new Set(['DONE', 'FAILED', 'CANCELLED'])

export interface FollowOptions {
  readonly operations: Operations
  readonly sessionId: string
  readonly turnId: string
  /** Its message; a turn that takes it along is followed instead. */
  readonly messageId: string
  /** Where to begin in the log: with what stands behind it. */
  readonly after: number
  readonly signal: AbortSignal
}

/**
 * Returns the turn as it is when there is nothing more to wait for: over, or awaiting decisions that are in
 * `session.approvals`; null when `signal` aborts before. Throws a Refused when it can be followed no longer.
 */
export async function* followTurn(options: FollowOptions): AsyncGenerator<TurnEvent, TurnData | null> {
  const { operations, sessionId, turnId, messageId, after, signal } = options
  const end = new AbortController()
  const events = await operations.events(TURN_EVENTS, { sessionId, after }, AbortSignal.any([signal, end.signal]))
  let followed = turnId
  try {
    const now = await readTurn(operations, turnId)
    if (now.status === 'JOINED' && now.joinedInto !== null) followed = now.joinedInto.id
    // What stands behind is of other turns. Of a turn whose events have been removed there is nothing to follow.
    if (OVER.has(now.status) && (now.lastSeq ?? 0) <= after) return now
    if (isStuck(now, after)) return now
    if (isBehind(now, Infinity)) return now
    for await (const { sessionEvents: event } of events) {
      if (event.__typename === 'MessageUpdatedEvent' && event.message.id === messageId)
        followed = event.message.turn?.joinedInto?.id ?? turnId
      if (event.turnId !== followed) {
        const behind = ASKS.has(event.__typename) ? await readTurn(operations, turnId) : null
        if (behind !== null && isBehind(behind, event.seq)) return behind
        continue
      }
      yield event
      if (!MAY_END.has(event.__typename)) continue
      const turn = await readTurn(operations, turnId)
      if (isEnd(event, turn)) return turn
    }
  } finally {
    end.abort()
  }
  if (signal.aborted) return null
  throw new Refused('The session was lost from sight; its log goes on.')
}

/**
 * Nothing comes behind this event. `turn`: as it is now, which may be later than the event: one that is over has more
 * to tell, up to the event that says so.
 */
export function isEnd(
  { __typename: type, turnId, seq }: Pick<TurnEvent, '__typename' | 'turnId' | 'seq'>,
  turn: TurnData,
): boolean {
  const isOver = OVER.has(turn.status) && turnId === (turn.joinedInto?.id ?? turn.id)
  return (type === 'TurnCompletedEvent' && isOver) || isStuck(turn, seq)
}

/** Nothing more is to come of it, unless people decide about something. */
export function isSettled(turn: TurnData): boolean {
  return OVER.has(turn.status) || isStuck(turn, Infinity) || isBehind(turn, Infinity)
}

/** Resolves when the turn has ended, whatever it waits for meanwhile, or when `signal` aborts. */
export async function untilOver(options: Omit<FollowOptions, 'messageId'>): Promise<void> {
  const { operations, sessionId, turnId, after, signal } = options
  const end = new AbortController()
  const events = await operations.events(TURN_EVENTS, { sessionId, after }, AbortSignal.any([signal, end.signal]))
  try {
    if (OVER.has((await readTurn(operations, turnId)).status)) return
    for await (const { sessionEvents: event } of events)
      if (event.turnId === turnId && event.__typename === 'TurnCompletedEvent') return
  } finally {
    end.abort()
  }
}

/**
 * Nothing comes behind `seq` until an approval is decided. What waits now may have been asked further on in the log
 * than where one that was decided since was waited for.
 */
function isStuck({ status, pausedReason, session }: TurnData, seq: number): boolean {
  const isPaused = status === 'AWAITING_APPROVAL' || status === 'JOINED' || pausedReason !== null
  return isPaused && waits(session, seq)
}

/** The turn has not begun, since one before it waits for a decision. */
function isBehind({ status, session }: TurnData, seq: number): boolean {
  return status === 'QUEUED' && waits(session, seq)
}

function waits(session: TurnData['session'], seq: number): boolean {
  return isAsked(session) && session.asked.edges.every(({ node }) => node.seq <= seq)
}

/**
 * Its turn waits for people. One that was denied something goes on at once: a plan takes back what else it asks for, a
 * conversation waits for that anew.
 */
export function isAsked({ approvals, refused }: Asking): boolean {
  return approvals.length > 0 && refused.every(({ task }) => task.status !== 'AWAITING_APPROVAL')
}

/** Whether a turn was taken along by one that was followed to its end: it was shown with that. */
export async function wasTakenAlong(operations: Operations, id: string, by: TurnData | null): Promise<boolean> {
  return by !== null && OVER.has(by.status) && (await readTurn(operations, id)).joinedInto?.id === by.id
}

export async function readTurn(operations: Operations, id: string): Promise<TurnData> {
  const { turn } = await operations.run(READ_TURN, { id })
  if (turn === null) throw new Refused('The turn is gone.', { code: 'NOT_FOUND' })
  return turn
}
