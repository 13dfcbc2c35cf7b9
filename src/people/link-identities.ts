/** `linkIdentity` and `unlinkIdentity`: under which identity a connector knows a user; by admins. */
import { findByAlias } from '../config/access/identity-index.ts'
import { isPlatformIdentity, PLATFORM_IDENTITY_RULE } from '../config/access/platform-identity.ts'
import type { UserConfig } from '../config/config.ts'
import type { Viewer } from '../core/identity.ts'
import { conflict, invalidInput, notFound, type Refusal } from '../core/refusal.ts'
import { linkAlias, unlinkAlias } from '../store/people/write-people.ts'
import { tooMany, type UserChanged } from './change-users.ts'
import { declaredThere, editPeople, type PeopleEdit } from './edit-people.ts'
import type { PeopleContext } from './people-context.ts'

export const MAX_IDENTITIES = 100

export interface LinkIdentityInput {
  readonly user: string
  /** The name of the connector's token. */
  readonly connector: string
  readonly identity: string
}

export async function linkIdentity(
  context: PeopleContext,
  viewer: Viewer,
  input: LinkIdentityInput,
): Promise<UserChanged | Refusal> {
  return editPeople(context, viewer, (edit) => linkWithin(edit, input))
}

/** The same within a transaction that holds people. `how`: for the audit. */
export async function linkWithin(
  { transaction, people, at, audit }: PeopleEdit,
  { user: userName, connector, identity, how }: LinkIdentityInput & { readonly how?: string },
): Promise<UserChanged | Refusal> {
  if (!isPlatformIdentity(identity)) return invalidInput(['identity'], `The identity ${PLATFORM_IDENTITY_RULE}.`)
  const user = people.users.get(userName)
  if (user === undefined) return notFound('user', userName)
  if (people.tokens.get(connector)?.kind !== 'CONNECTOR') return notFound('connector', connector)
  const known = findByAlias(people, connector, identity)
  if (known !== null && known.name !== userName)
    return conflict('SAME_EXISTS', `"${identity}" at "${connector}" is "${known.name}". Unlink it there first.`)
  if (known === null) {
    if (countIdentities(user) >= MAX_IDENTITIES) return tooMany('identities of this user', MAX_IDENTITIES)
    await linkAlias(transaction, { tokenName: connector, identity }, { userName, at })
    await audit('IDENTITY_LINKED', `"${identity}" at ${connector} is ${userName}${how === undefined ? '' : `, ${how}`}`)
  }
  return { kind: 'UserChanged', userName }
}

function countIdentities({ aliases }: UserConfig): number {
  return [...aliases.values()].reduce((sum, identities) => sum + identities.length, 0)
}

export async function unlinkIdentity(
  context: PeopleContext,
  viewer: Viewer,
  { user: userName, connector, identity }: LinkIdentityInput,
): Promise<UserChanged | Refusal> {
  return editPeople(context, viewer, async ({ transaction, people, audit }) => {
    const known = findByAlias(people, connector, identity)
    if (known?.name !== userName) return notFound('identity', identity)
    if (findByAlias(context.live.declared(), connector, identity) !== null) return declaredThere('identity', identity)
    await unlinkAlias(transaction, { tokenName: connector, identity })
    await audit('IDENTITY_UNLINKED', `"${identity}" at ${connector} is no longer ${userName}`)
    return { kind: 'UserChanged', userName }
  })
}
