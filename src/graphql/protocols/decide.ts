/** Decisions that came by another protocol, with the rights of its caller. */
import type { Viewer } from '../../core/identity.ts'
import type { Operations } from './operations.ts'
import { accepted, Refused } from './refused.ts'
import {
  APPROVAL_EVENTS,
  DECIDE_APPROVAL,
  READ_APPROVAL,
  type ApprovalData,
  type AskedApproval,
  type AskingTurn,
} from './turn-documents.ts'

export interface Decision {
  readonly id: string
  readonly approve: boolean
  readonly note?: string | undefined
  readonly editedDetail?: string | undefined
  readonly editedArgs?: unknown
  /** Of a connector: who decides. */
  readonly user?: string | undefined
}

/** A denial that is none of what does not wait any more. */
export interface GivenUp extends Decision {
  readonly approve: false
  readonly isGivenUp: true
}

/** A connector is offered it: whether its sender may is known when it names them. */
export function mayDecide(viewer: Pick<Viewer, 'user'>, { viewerCan }: ApprovalData): boolean {
  return viewer.user === null || viewerCan.decide
}

export interface Decided {
  /** The last, as it was before. */
  readonly last: AskedApproval
  /** Where in the log the first of them was decided: all that came of them stands behind it. */
  readonly after: number
}

export interface DecidedIn {
  /** The session in which they came: what was asked for on its behalf is of its turn. Null: of any that delegated. */
  readonly sessionId: string | null
  /** Throws what keeps one from being meant. */
  readonly check?: (asked: AskedApproval) => void
}

/**
 * Decides them one after the other. Repeated, what was decided in the same way stands; in another way is refused, as is
 * what the caller may not decide.
 */
export async function decideAll(
  operations: Operations,
  decisions: readonly (Decision | GivenUp)[],
  { sessionId, check }: DecidedIn,
): Promise<Decided> {
  const places: number[] = []
  let last: AskedApproval | null = null
  for (const entry of decisions) {
    const { isGivenUp, ...decision } = { isGivenUp: false, ...entry }
    last = await readApproval(operations, { id: decision.id, sessionId })
    check?.(last)
    if (stands(last, decision) || (isGivenUp && last.status !== 'PENDING')) {
      places.push(await placeOf(operations, last))
      continue
    }
    // A denial takes back what else its plan asks for.
    if (last.status === 'CANCELLED' && !decision.approve && places.length > 0) continue
    places.push(last.session.lastSeq)
    await decide(operations, { decision, sessionId })
  }
  if (last === null) throw new Refused('No approval is named.', { code: 'INVALID_INPUT' })
  return { last, after: Math.min(last.session.lastSeq, ...places) }
}

/**
 * What became of approvals that were asked for in a session and decided elsewhere. Null: one of them still waits, or is
 * of another session.
 */
export async function readDecided(
  operations: Operations,
  { ids, sessionId }: { readonly ids: readonly string[]; readonly sessionId: string },
): Promise<Decided | null> {
  const places: number[] = []
  let last: AskedApproval | null = null
  for (const id of ids) {
    const { approval } = await operations.run(READ_APPROVAL, { id })
    last = approval === null ? null : ofTurn(approval, sessionId)
    if (last === null || last.status === 'PENDING' || last.session.id !== sessionId) return null
    places.push(await placeOf(operations, last))
  }
  return last === null ? null : { last, after: Math.min(...places) }
}

/** An approval that is decided, where people waited for it. Rejects where the caller may not see it. */
export async function decidedIn(operations: Operations, id: string): Promise<Decided> {
  const last = await readApproval(operations, { id, sessionId: null })
  return { last, after: await placeOf(operations, last) }
}

interface DecidedThere {
  readonly decision: Decision
  readonly sessionId: string | null
}

async function decide(operations: Operations, { decision, sessionId }: DecidedThere): Promise<void> {
  const { result } = await operations.run(DECIDE_APPROVAL, { input: { ...decision } })
  if (result.approval == null && result.reason === 'ALREADY_DECIDED') {
    // The same decision, sent twice at once, or one that a denial just before has made needless.
    const now = await readApproval(operations, { id: decision.id, sessionId })
    if (stands(now, decision) || (now.status === 'CANCELLED' && !decision.approve)) return
  }
  accepted(result, result.approval)
}

function stands({ status }: AskedApproval, { approve }: Decision): boolean {
  return status === (approve ? 'APPROVED' : 'DENIED')
}

/**
 * The last event of an approval that is decided says so, or, of one in the session of a delegated task, that it is
 * waited for; of one so long before the end of its turn that it is not found, the log's end.
 */
async function placeOf(operations: Operations, { id, session, turn }: AskedApproval): Promise<number> {
  const before = turn.lastSeq === null ? null : String(turn.lastSeq)
  const { session: read } = await operations.run(APPROVAL_EVENTS, { id: session.id, before })
  const event = read?.events.edges.findLast(
    ({ node }) => node.approval?.id === id || node.pausedReason?.includes(id) === true,
  )
  return event?.node.seq ?? session.lastSeq
}

/**
 * With the turn that people wait for: where it was asked for on behalf of a delegated task, the one that delegated.
 * Throws a Refused where the caller may not see it.
 */
export async function readApproval(
  operations: Operations,
  { id, sessionId }: { readonly id: string; readonly sessionId: string | null },
): Promise<AskedApproval> {
  const { approval } = await operations.run(READ_APPROVAL, { id })
  if (approval === null) throw new Refused(`There is no approval ${id} that you may see.`, NOT_FOUND)
  return ofTurn(approval, sessionId)
}

/** With the turn that people wait for. */
export function ofTurn<Asked extends AskedApproval>(approval: Asked, sessionId: string | null): Asked {
  return { ...approval, ...waitingFor(approval, { askedAt: approval.createdAt, sessionId }) }
}

/** Of the session that is named, if it is on the way up; else the outermost that waits. */
export function waitingFor(
  { turn, session }: AskingTurn,
  asked: { readonly askedAt: string; readonly sessionId: string | null },
): AskingTurn {
  const { delegation = null } = session
  if (session.id === asked.sessionId || delegation === null || !waits(delegation, turn, asked.askedAt))
    return { turn, session }
  return waitingFor(delegation, asked)
}

/**
 * A session for a delegated task is one like others once that has ended, and for a turn beside it that is left when its
 * answer does.
 */
function waits(
  { status, finishedAt }: NonNullable<AskingTurn['session']['delegation']>,
  turn: AskingTurn['turn'],
  askedAt: string,
): boolean {
  if (finishedAt === null) return true
  if (finishedAt < askedAt) return false
  return status !== 'DONE' || (turn.finishedAt !== null && turn.finishedAt <= finishedAt)
}

const NOT_FOUND = { code: 'NOT_FOUND' } as const
