/**
 * `redeemLinkCode`, and "/link" in a message: a connector hands over the code that was typed in its channel, and the
 * identity of who typed it belongs to the user who made the code.
 *
 * What must hold: a code works once, for ten minutes; wrong codes are counted in the database, so that all processes
 * together take no more of them than the bounds say. What an identity may do afterwards is what the user may: who made
 * the code decided that. Who is a user already gives nothing away without saying so ("merge"), and no administrator
 * does so by a code.
 */
import { findByAlias } from '../config/access/identity-index.ts'
import { isPlatformIdentity, PLATFORM_IDENTITY_RULE } from '../config/access/platform-identity.ts'
import { hashToken } from '../config/access/token-hash.ts'
import type { UserConfig } from '../config/config.ts'
import type { Viewer } from '../core/identity.ts'
import { conflict, invalidInput, type Refusal } from '../core/refusal.ts'
import { readLinkCode } from '../core/text/link-command.ts'
import {
  countGuesses,
  findLinkCode,
  noteGuess,
  redeemCodeRow,
  type Guesser,
  type Guesses,
} from '../store/people/link-codes.ts'
import type { ChangedSession } from '../store/people/move-user.ts'
import { editPeople, type PeopleEdit } from './edit-people.ts'
import { linkWithin } from './link-identities.ts'
import { announceMerge, mergeWithin } from './merge-users.ts'
import type { PeopleContext } from './people-context.ts'

const WINDOW_MS = 10 * 60_000
/** Wrong codes within the window, before no more are taken. */
const MAX_OF_IDENTITY = 5
const MAX_OF_CONNECTOR = 50

export interface RedeemLinkCodeInput {
  readonly code: string
  /** The identity under which the connector knows who has typed it. */
  readonly user: string
  /** The user whom the identity belongs to now becomes a part of the other one. */
  readonly merge?: boolean | null | undefined
}

export interface IdentityLinked {
  readonly kind: 'IdentityLinked'
  readonly userName: string
}

/** Repeated for the same identity, it is answered as the first time. */
export async function redeemLinkCode(
  context: PeopleContext,
  viewer: Viewer,
  input: RedeemLinkCodeInput,
): Promise<IdentityLinked | Refusal> {
  const { tokenName } = viewer
  const { user: identity, merge } = input
  if (viewer.user !== null)
    return conflict('NOT_ALLOWED', 'A code is used in the other channel, where you are not known yet.')
  if (!isPlatformIdentity(identity)) return invalidInput(['user'], `The sender ${PLATFORM_IDENTITY_RULE}.`)
  const code = readLinkCode(input.code)
  if (code === null) return WRONG
  const guesser = { tokenName, identity }
  const sha256 = hashToken(code)
  // Outside of the lock, so that who only guesses keeps no other from changing people.
  const refusal = tooManyGuesses(await countGuesses(context.database, guesser, since(context.clock.now())))
  if (refusal !== null) return refusal
  let changed: readonly ChangedSession[] = []
  const outcome = await editPeople<IdentityLinked>(context, viewer, async (edit) => {
    const { transaction, at, people } = edit
    const guesses = await countGuesses(transaction, guesser, since(at))
    const found = tooManyGuesses(guesses) === null ? await findLinkCode(transaction, sha256, at) : null
    const user = people.users.get(found?.userName ?? '')
    if (found === null || user === undefined || isUsedByOther(found, guesser)) return countWrong(edit, guesser, guesses)
    const known = findByAlias(people, tokenName, identity)
    if (known !== null && known.name !== user.name) {
      const merged = await mergeKnown(context, edit, { known, user, guesser, merge: merge === true })
      if ('kind' in merged) return merged
      changed = merged
    } else {
      const linked = await linkWithin(edit, { user: user.name, connector: tokenName, identity, how: CODE_OF })
      if (linked.kind !== 'UserChanged') return linked
    }
    await redeemCodeRow(transaction, sha256, guesser)
    return { kind: 'IdentityLinked', userName: user.name }
  })
  announceMerge(context, changed)
  return outcome
}

const CODE_OF = 'by a code of theirs'

/** The same for a code that never was, has expired, was used, or whose user is gone. */
const WRONG: Refusal = invalidInput(
  ['code'],
  'This code does not work: it is mistyped, was used before, or is older than ten minutes. Have another one made.',
)

function isUsedByOther(
  { redeemedToken, redeemedIdentity }: { redeemedToken: string | null; redeemedIdentity: string | null },
  { tokenName, identity }: Guesser,
): boolean {
  return redeemedToken !== null && (redeemedToken !== tokenName || redeemedIdentity !== identity)
}

function since(at: Date): Date {
  return new Date(at.getTime() - WINDOW_MS)
}

function tooManyGuesses({ ofIdentity, ofConnector }: Guesses): Refusal | null {
  const [limit, current] =
    ofIdentity >= MAX_OF_IDENTITY ? [MAX_OF_IDENTITY, ofIdentity] : [MAX_OF_CONNECTOR, ofConnector]
  if (current < limit) return null
  const message = 'Too many codes that do not work were tried here. Try again in ten minutes.'
  return { kind: 'LimitExceeded', message, limit, current, retryAfterMs: WINDOW_MS }
}

async function countWrong(
  { transaction, at, audit }: PeopleEdit,
  guesser: Guesser,
  guesses: Guesses,
): Promise<Refusal> {
  const refusal = tooManyGuesses(guesses)
  if (refusal !== null) return refusal
  await noteGuess(transaction, guesser, { at, since: since(at) })
  const last = tooManyGuesses({ ofIdentity: guesses.ofIdentity + 1, ofConnector: guesses.ofConnector + 1 })
  const { identity, tokenName } = guesser
  if (last !== null) await audit('LINK_CODES_GUESSED', `"${identity}" at ${tokenName}, the last of several wrong codes`)
  return WRONG
}

interface KnownAlready {
  readonly known: UserConfig
  readonly user: UserConfig
  readonly guesser: Guesser
  readonly merge: boolean
}

/** The identity is that of another user. */
async function mergeKnown(
  { live }: PeopleContext,
  edit: PeopleEdit,
  { known, user, guesser: { tokenName, identity }, merge }: KnownAlready,
): Promise<readonly ChangedSession[] | Refusal> {
  const isDeclared = known.declared || findByAlias(live.declared(), tokenName, identity) !== null
  if (isDeclared || known.role === 'ADMIN')
    return conflict(
      isDeclared ? 'DECLARED' : 'NOT_ALLOWED',
      `You are known here as "${known.name}", which only an administrator can change.`,
    )
  if (!merge)
    return conflict(
      'SAME_EXISTS',
      `You are known here as "${known.name}". With "merge" behind the code, that user becomes a part of ` +
        `"${user.name}" for good: sessions, files, schedules and all channels.`,
    )
  return mergeWithin(edit, { from: known.name, into: user.name, how: CODE_OF })
}
