import type { SessionState } from '../store/session-state.ts'
import type { SessionStore } from '../store/session-store.ts'
import { sessionStore } from '../store/session-stores.ts'
import { useClient } from './factotum-provider.ts'
import { useSelected } from './use-selected.ts'

/** The state of a session, with what can be done to it. */
export interface UsedSession extends SessionState, Pick<SessionStore, SessionAction> {}
/** What of a store a component is given besides its state: the same functions for each render. */
export type SessionAction = 'id' | 'send' | 'retry' | 'discard' | 'loadOlder' | 'loadTurn' | 'reload'

/**
 * A session, live. With a selector the component renders only when what it selects changes:
 * `useSession(id, ({ entries }) => entries.length)`.
 */
export function useSession(id: string): UsedSession
export function useSession<Selected>(id: string, selector: (state: SessionState) => Selected): Selected
export function useSession(id: string, selector?: (state: SessionState) => unknown): unknown {
  const store = sessionStore(useClient(), id)
  const state = useSelected(store, selector ?? whole)
  if (selector !== undefined) return state
  const { send, retry, discard, loadOlder, loadTurn, reload } = store
  return { ...(state as SessionState), id, send, retry, discard, loadOlder, loadTurn, reload }
}

/** The store of a session, for its actions in components that select. */
export function useSessionStore(id: string): SessionStore {
  return sessionStore(useClient(), id)
}

function whole(state: SessionState): SessionState {
  return state
}
