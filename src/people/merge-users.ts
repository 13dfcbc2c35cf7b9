/** `mergeUsers`: two users are one person. By admins. Called by the GraphQL door. */
import type { Viewer } from '../core/identity.ts'
import { invalidInput, notFound, type Refusal } from '../core/refusal.ts'
import { moveUser, type ChangedSession } from '../store/people/move-user.ts'
import { becomeUser, readUser } from '../store/people/write-people.ts'
import type { UserChanged } from './change-users.ts'
import { declaredThere, editPeople, type PeopleEdit } from './edit-people.ts'
import type { PeopleContext } from './people-context.ts'

export interface MergeUsersInput {
  /** Who is no more. */
  readonly from: string
  /** Whose all of it becomes. */
  readonly into: string
}

/**
 * Turns that run go on with the rights of the other user, from their next task on. Of a user who was removed, what is
 * left of them becomes the other's.
 */
export async function mergeUsers(
  context: PeopleContext,
  viewer: Viewer,
  { from, into }: MergeUsersInput,
): Promise<UserChanged | Refusal> {
  if (from === into) return invalidInput(['into'], 'must be another user than "from"')
  let changed: readonly ChangedSession[] = []
  const outcome = await editPeople<UserChanged>(context, viewer, async (edit) => {
    const { transaction, people } = edit
    if (!people.users.has(into)) return notFound('user', into)
    if (people.users.get(from)?.declared === true) return declaredThere('user', from)
    const row = await readUser(transaction, from)
    if (row === null || row.mergedInto !== null) return notFound('user', from)
    changed = await mergeWithin(edit, { from, into })
    return { kind: 'UserChanged', userName: into }
  })
  if (outcome.kind === 'UserChanged') announceMerge(context, changed)
  return outcome
}

/** The same within a transaction that holds people, unchecked. `how`: for the audit. */
export async function mergeWithin(
  { transaction, at, audit }: PeopleEdit,
  { from, into, how }: MergeUsersInput & { readonly how?: string },
): Promise<readonly ChangedSession[]> {
  const changed = await moveUser(transaction, { from, into, at })
  await becomeUser(transaction, { from, into, at })
  await audit('USER_MERGED', `${from} has become ${into}${how === undefined ? '' : `, ${how}`}`)
  return changed
}

/** After the commit: who follows the sessions reads them again. */
export function announceMerge({ doorbell }: PeopleContext, changed: readonly ChangedSession[]): void {
  for (const { sessionId, seq } of changed) doorbell.ring({ kind: 'log', sessionId, seq, list: true })
}
