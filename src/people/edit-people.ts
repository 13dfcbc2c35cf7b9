/**
 * One change of people: a transaction that sees them as they are and keeps everybody else from changing them, with its
 * audit entry. What must hold: afterwards there is an admin with a token, or nothing was changed; otherwise nobody
 * could mend it but the operator.
 */
import { withPeople } from '../config/access/with-people.ts'
import type { Config } from '../config/config.ts'
import type { ConfigChange } from '../core/audit-entry.ts'
import type { Viewer } from '../core/identity.ts'
import { conflict, type Refusal } from '../core/refusal.ts'
import { appendAudit } from '../store/audit-entries.ts'
import type { Queryable } from '../store/database.ts'
import { LOCK_PEOPLE } from '../store/people/lock-people.ts'
import { readPeople } from '../store/people/read-people.ts'
import type { PeopleContext } from './people-context.ts'

export interface PeopleEdit {
  readonly transaction: Queryable
  /** Who there is, with what config.toml declares. */
  readonly people: Config
  readonly at: Date
  /** Who changes it; null: a connector. */
  readonly by: string | null
  readonly audit: (change: PeopleChange, detail: string) => Promise<void>
}

/** What the audit says was done. */
export type PeopleChange = Extract<
  ConfigChange,
  `${'USER' | 'TOKEN' | 'IDENTITY' | 'LINK' | 'LOGIN' | 'LOGGED'}_${string}`
>

/** Takes back what `edit` has written. */
class NoAdminLeft extends Error {}

/** `edit` refuses before it writes. Rejects with DATABASE_UNAVAILABLE: it may have been committed even so. */
export async function editPeople<Done extends { readonly kind: string }>(
  context: PeopleContext,
  viewer: Viewer,
  edit: (edit: PeopleEdit) => Promise<Done | Refusal>,
): Promise<Done | Refusal> {
  const { database, clock, live } = context
  const at = clock.now()
  const { tokenName, user } = viewer
  const by = user?.name ?? null
  try {
    const outcome = await database.transaction(async (transaction) => {
      await transaction.query(LOCK_PEOPLE, [])
      const people = withPeople(live.declared(), await readPeople(transaction), at)
      const audit: PeopleEdit['audit'] = (change, detail) => {
        const body = { kind: 'CONFIG', change, detail } as const
        return appendAudit(transaction, [{ at, sessionId: null, turnId: null, actor: by, tokenName, body }])
      }
      const done = await edit({ transaction, people, at, by, audit })
      if (hasAdmin(people) && !hasAdmin(withPeople(live.declared(), await readPeople(transaction), at)))
        throw new NoAdminLeft()
      return done
    })
    await live.changed()
    return outcome
  } catch (error) {
    if (!(error instanceof NoAdminLeft)) throw error
    return conflict(
      'LAST_ADMIN',
      'Then no admin with a token would be left. Give another user the role and a token first.',
    )
  }
}

function hasAdmin({ tokens, users }: Config): boolean {
  return [...tokens.values()].some(({ user }) => user !== null && users.get(user)?.role === 'ADMIN')
}

/** What config.toml declares is changed only there. */
export function declaredThere(what: string, name: string): Refusal {
  return conflict('DECLARED', `config.toml declares the ${what} "${name}": change it there.`)
}
