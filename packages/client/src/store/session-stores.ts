import { keep } from '../keep.ts'
import type { ReadingClient } from '../reading-client.ts'
import { SessionStore } from './session-store.ts'

/**
 * The store of a session: one for each client and session, however often it is asked for. It reads nothing by itself.
 * Beyond 50 lists and stores of a client, those to which nothing listens, and which have no message on its way, are
 * given up, and made anew when they are asked for again; one that a page still has is the same.
 */
export function sessionStore(client: ReadingClient, id: string): SessionStore {
  return keep(client, `session ${id}`, () => new SessionStore(client, id))
}
