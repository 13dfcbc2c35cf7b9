/** `createLinkCode`: a person is shown a code with which they link another channel. Called by the GraphQL door. */
import { hashToken } from '../config/access/token-hash.ts'
import type { Viewer } from '../core/identity.ts'
import { conflict, type Refusal } from '../core/refusal.ts'
import { CODE_ALPHABET, CODE_LENGTH, isLinkCode, showLinkCode } from '../core/text/link-command.ts'
import { randomText } from '../platform/random.ts'
import { countLiveCodes, putLinkCode } from '../store/people/link-codes.ts'
import { editPeople } from './edit-people.ts'
import type { PeopleContext } from './people-context.ts'

/** How long a code works. */
const CODE_MS = 10 * 60_000
/** Of one user at the same time: enough for a second try, too few to make guessing easier. */
const MAX_LIVE = 3

export interface LinkCodeCreated {
  readonly kind: 'LinkCodeCreated'
  /** Shown once; only its hash is kept. */
  readonly code: string
  readonly expiresAt: Date
}

/** For the user of the token; a connector speaks for many, and cannot say that one of them is another user. */
export async function createLinkCode(context: PeopleContext, viewer: Viewer): Promise<LinkCodeCreated | Refusal> {
  const { user } = viewer
  if (user === null) return conflict('NOT_ALLOWED', 'Only a person with a token of their own can make a code.')
  return editPeople(context, viewer, async ({ transaction, people, at, audit }) => {
    if (!people.users.has(user.name)) return conflict('USER_UNKNOWN', `The user "${user.name}" is no longer known.`)
    const { count, firstEnds } = await countLiveCodes(transaction, user.name, at)
    if (count >= MAX_LIVE) return tooManyCodes(count, firstEnds === null ? null : firstEnds.getTime() - at.getTime())
    const code = newCode()
    const expiresAt = new Date(at.getTime() + CODE_MS)
    await putLinkCode(transaction, { sha256: hashToken(code), userName: user.name, expiresAt })
    await audit('LINK_CODE_CREATED', `by ${user.name}, until ${expiresAt.toISOString()}`)
    return { kind: 'LinkCodeCreated', code: showLinkCode(code), expiresAt }
  })
}

function newCode(): string {
  let code = randomText(CODE_ALPHABET, CODE_LENGTH)
  while (!isLinkCode(code)) code = randomText(CODE_ALPHABET, CODE_LENGTH)
  return code
}

function tooManyCodes(count: number, retryAfterMs: number | null): Refusal {
  const message = `${count} codes that you made still work; use one of them, or wait until the first has expired.`
  return { kind: 'LimitExceeded', message, limit: MAX_LIVE, current: count, retryAfterMs }
}
