/** Decisions that came by another protocol, with the rights of its caller. */
import type { Operations } from './operations.ts'
import { accepted, Refused } from './refused.ts'
import { APPROVAL_EVENTS, DECIDE_APPROVAL, READ_APPROVAL, type AskedApproval } from './turn-documents.ts'

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

export interface Decided {
  /** The last, as it was before. */
  readonly last: AskedApproval
  /** Where in the log the first of them was decided: all that came of them stands behind it. */
  readonly after: number
}

/**
 * Decides them one after the other. Repeated, what was decided in the same way stands; in another way is refused, as is
 * what the caller may not decide. `check` throws what keeps one from being meant.
 */
export async function decideAll(
  operations: Operations,
  decisions: readonly (Decision | GivenUp)[],
  check?: (asked: AskedApproval) => void,
): Promise<Decided> {
  const places: number[] = []
  let last: AskedApproval | null = null
  for (const entry of decisions) {
    const { isGivenUp, ...decision } = { isGivenUp: false, ...entry }
    last = await readApproval(operations, decision.id)
    check?.(last)
    if (stands(last, decision)) {
      places.push(await placeOf(operations, last))
      continue
    }
    if (isGivenUp && last.status !== 'PENDING') continue
    // A denial takes back what else its plan asks for.
    if (last.status === 'CANCELLED' && !decision.approve && places.length > 0) continue
    places.push(last.session.lastSeq)
    await decide(operations, decision)
  }
  if (last === null) throw new Refused('No approval is named.', { code: 'INVALID_INPUT' })
  return { last, after: Math.min(last.session.lastSeq, ...places) }
}

async function decide(operations: Operations, decision: Decision): Promise<void> {
  const { result } = await operations.run(DECIDE_APPROVAL, { input: { ...decision } })
  if (result.approval == null && result.reason === 'ALREADY_DECIDED') {
    // The same decision, sent twice at once, or one that a denial just before has made needless.
    const now = await readApproval(operations, decision.id)
    if (stands(now, decision) || (now.status === 'CANCELLED' && !decision.approve)) return
  }
  accepted(result, result.approval)
}

function stands({ status }: AskedApproval, { approve }: Decision): boolean {
  return status === (approve ? 'APPROVED' : 'DENIED')
}

/** The last event of an approval that is decided says so; of one so long ago that it is not found, the log's end. */
async function placeOf(operations: Operations, { id, session }: AskedApproval): Promise<number> {
  const { session: read } = await operations.run(APPROVAL_EVENTS, { id: session.id })
  const event = read?.events.edges.findLast(({ node }) => node.approval?.id === id)
  return event?.node.seq ?? session.lastSeq
}

/** Throws a Refused where the caller may not see it. */
export async function readApproval(operations: Operations, id: string): Promise<AskedApproval> {
  const { approval } = await operations.run(READ_APPROVAL, { id })
  if (approval === null) throw new Refused(`There is no approval ${id} that you may see.`, NOT_FOUND)
  return approval
}

const NOT_FOUND = { code: 'NOT_FOUND' } as const
