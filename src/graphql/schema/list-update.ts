/**
 * What subscriptions about lists tell: which entry is new or has changed, or that the list is to be read. Each has a
 * type of its own with `readList` and the entry; caches of clients then need nothing but the entry's id.
 */
import type { ListChange } from '../live/notify/change-watcher.ts'
import { AUTHENTICATED, type AuthScopes } from './access.ts'
import { builder } from './builder.ts'

/** What the field `readList` says of itself. */
export const READ_LIST =
  'True: read your list now, from its beginning. So every subscription begins, also after a reconnect, and so it goes on ' +
  'when changes may have been missed. What changed before is in what you read then; what changes after comes here.'

/** What the field of the entry says of itself. */
export const ENTRY = 'As it is now. Null with "readList", and when it is gone meanwhile: then read your list, too.'

/** What every subscription about a list says of itself, after what it tells. */
export const BEGINS = 'The first update says "readList": read your list then, and nothing is missed.'

/** How often subscriptions to rows tell of one. */
export const OFTEN = 'at most four times a second each, now and then one that has not changed'

/** `<name>Update` with `readList`; the entry is a field that the caller adds. */
export function listUpdate(name: string, authScopes: Partial<AuthScopes> = AUTHENTICATED) {
  const ref = builder.objectRef<ListChange>(`${name}Update`)
  ref.implement({
    description: `A change of a list of ${name}, or that the list is to be read.`,
    authScopes,
    fields: (t) => ({
      readList: t.boolean({ description: READ_LIST, resolve: ({ id }) => id === null }),
    }),
  })
  return ref
}
