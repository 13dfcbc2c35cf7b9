import type { ReadingClient } from '../reading-client.ts'
import { SessionStore } from './session-store.ts'

const stores = new WeakMap<ReadingClient, Map<string, SessionStore>>()

/**
 * The store of a session: one for each client and session, however often it is asked for. It reads nothing by itself.
 */
export function sessionStore(client: ReadingClient, id: string): SessionStore {
  const ofClient = stores.get(client) ?? new Map<string, SessionStore>()
  stores.set(client, ofClient)
  const store = ofClient.get(id) ?? new SessionStore(client, id)
  ofClient.set(id, store)
  return store
}
