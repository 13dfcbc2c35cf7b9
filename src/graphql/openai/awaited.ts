/**
 * What a caller was asked to decide by the last answer that it had, and which of its messages that has kept: as the
 * answer says where the caller repeats it, or, of the response that it follows, as its session has it.
 */
import { ofTurn, readApproval } from '../protocols/decide.ts'
import type { Operations } from '../protocols/operations.ts'
import { Refused } from '../protocols/refused.ts'
import { askedBy, keptMessages } from './approval-words.ts'
import type { Ask } from './ask.ts'
import { READ_ASKED, READ_RESPONSE, type DatedApproval, type EntryData } from './documents.ts'
import { isSame } from './same-conversation.ts'

/** The response that a request follows: where it was given, whose it was, and when it began. */
export interface Previous {
  readonly sessionId: string
  readonly user: string | null
  readonly beganAt: string
}

export interface Awaited {
  /** The approvals that were asked for. */
  readonly ids: readonly string[]
  /** Of a message behind the turn that asks. */
  readonly isKept: (said: EntryData) => boolean
}

/** The answer to a decision is named by its approval: one turn may be answered more than once. */
export async function readPrevious(operations: Operations, ask: Ask): Promise<Previous | null> {
  const { previousId: id } = ask
  if (id === null) return null
  const { node } = await operations.run(READ_RESPONSE, { id })
  if (node?.__typename === 'Turn')
    return { sessionId: node.session.id, user: node.message.user, beganAt: node.message.createdAt }
  if (node?.__typename === 'Message') return { sessionId: node.session.id, user: node.user, beganAt: node.createdAt }
  if (node?.__typename !== 'Approval' || node.decidedAt === null)
    throw new Refused(`There is no response resp_${id} that you may see, which this one is to follow.`, {
      code: 'NOT_FOUND',
    })
  const { session, turn } = await readApproval(operations, { id, sessionId: null })
  return { sessionId: session.id, user: turn.message.user, beganAt: node.decidedAt }
}

export async function readAwaited(
  operations: Operations,
  { history }: Ask,
  previous: Previous | null,
): Promise<Awaited> {
  if (previous === null) {
    const texts = keptMessages(history)
    const ids = askedBy(history.findLast(({ role }) => role === 'assistant'))
    return { ids, isKept: ({ content = '' }) => texts.some((text) => isSame(content, text)) }
  }
  const { sessionId, user, beganAt } = previous
  const { session } = await operations.run(READ_ASKED, { id: sessionId })
  const all = session?.approvals.map((approval) => ofTurn(approval, sessionId)) ?? []
  return {
    ids: askedIn(
      all.filter((one) => one.session.id === sessionId),
      beganAt,
    ),
    isKept: ({ message }) => message?.user === user && message.createdAt <= beganAt,
  }
}

/**
 * Those that a response which began then has asked for: of the first turn that waited, and was there by then, what it
 * waited for until the first of them was decided.
 */
function askedIn(approvals: readonly DatedApproval[], beganAt: string): string[] {
  const open = approvals
    .filter(({ turn, decidedAt }) => turn.message.createdAt <= beganAt && (decidedAt === null || decidedAt > beganAt))
    .toSorted((one, other) => one.createdAt.localeCompare(other.createdAt))
  const ofFirst = open.filter(({ turn }) => turn.id === open[0]?.turn.id)
  const [until = null] = ofFirst.flatMap(({ decidedAt }) => decidedAt ?? []).toSorted()
  return ofFirst.filter(({ createdAt }) => until === null || createdAt <= until).map(({ id }) => id)
}
