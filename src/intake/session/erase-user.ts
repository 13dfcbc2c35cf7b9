/**
 * `eraseUser`: what a user has said in a group, and what the agent made of it, loses its text and its name, and keeps
 * its place. Called by the GraphQL door, for admins alone.
 */
import type { Viewer } from '../../core/identity.ts'
import { conflict, invalidInput, notFound, refuseInput, type Refusal } from '../../core/refusal.ts'
import { KEY_RULE, textIssues } from '../../core/text/text-rule.ts'
import { storeErasure, type EraseOutcome } from '../../store/erase-user.ts'
import { authorizeSession } from '../authorize-session.ts'
import type { IntakeContext } from '../intake-context.ts'

/** Whose texts and names are to go from which group. */
export interface EraseUserInput {
  readonly sessionId: string
  /** The user's name, or the platform identity of a stranger. They need not be in the configuration any more. */
  readonly user: string
  /** Which of the two; left out: whichever there is. */
  readonly stranger?: boolean | null | undefined
}

/**
 * How many messages lost their text. `factIds`: facts made of what the user had said, which stay until an admin
 * invalidates them.
 */
export interface UserErased {
  readonly kind: 'Erased'
  readonly sessionId: string
  readonly messageCount: number
  readonly factIds: readonly string[]
}

/**
 * Everything is erased or, with a refusal, nothing. Throws when a published file cannot be removed; it is swept up
 * later.
 */
export async function eraseUser(
  context: IntakeContext,
  viewer: Viewer,
  { sessionId, user, stranger = null }: EraseUserInput,
): Promise<UserErased | Refusal> {
  const access = authorizeSession(viewer, { sessionId, path: ['sessionId'] }, ['ERASE_USER'])
  if ('kind' in access) return access
  const refusal = refuseInput(textIssues(['user'], user, KEY_RULE))
  if (refusal !== null) return refusal
  const tokens = [...context.config.current().tokens.values()]
  const at = context.clock.now()
  const outcome = await storeErasure(context.database, {
    sessionId,
    userName: user,
    isStranger: stranger,
    ownTokens: tokens.flatMap((token) => (token.user === user ? [token.name] : [])),
    actor: access.userName,
    tokenName: access.tokenName,
    at,
    removeFiles: (files) => context.uploads.remove(sessionId, files),
  })
  if (outcome.kind !== 'Erased') return refusalOf(outcome, { sessionId, user })
  const { seq, messageCount, fileIds, factIds } = outcome
  context.feed.published([{ type: 'SessionUpdated', erased: true, turnId: null, seq, sessionId, at }])
  await context.removePublished(fileIds)
  return { kind: 'Erased', sessionId, messageCount, factIds }
}

function refusalOf(
  outcome: Exclude<EraseOutcome, { readonly kind: 'Erased' }>,
  { sessionId, user }: EraseUserInput,
): Refusal {
  switch (outcome.kind) {
    case 'NoSession':
      return notFound('session', sessionId)
    case 'NotAGroup':
      return conflict(
        'WRONG_TYPE',
        `Session "${sessionId}" is not a group's: delete it as a whole, with deleteSession.`,
        sessionId,
      )
    case 'Two': {
      const problem = `A user and a stranger called "${user}" have written in session "${sessionId}": say which of them is meant`
      return invalidInput(['stranger'], problem)
    }
    case 'Nothing':
      return { kind: 'NotFound', id: user, message: `"${user}" has left nothing in session "${sessionId}".` }
    case 'Busy':
      return conflict('BUSY', describeWork(outcome, user), sessionId)
    default:
      return outcome satisfies never
  }
}

function describeWork({ status, ownerName }: Extract<EraseOutcome, { readonly kind: 'Busy' }>, user: string): string {
  if (ownerName !== user)
    return `A turn of "${ownerName}" runs, which may repeat what it was shown. Wait for its end, or cancel it with cancelTurn.`
  const waits = status === 'QUEUED' || status === 'JOINED'
  if (waits) return `A message of "${user}" waits for its turn. Withdraw it with withdrawMessage, or wait for its end.`
  const state = status === 'RUNNING' ? 'runs' : 'awaits an approval'
  return `A turn of "${user}" ${state}. Cancel it with cancelTurn, or wait for its end.`
}
