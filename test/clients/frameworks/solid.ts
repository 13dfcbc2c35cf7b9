/** A signal for Solid. */
import { sessionStore, type FactotumClient } from '@factotum/client'
import { createSignal, onCleanup } from 'solid-js'

export function useSession(client: FactotumClient, id: string) {
  const store = sessionStore(client, id)
  const [state, setState] = createSignal(store.getSnapshot())
  onCleanup(store.subscribe(() => setState(store.getSnapshot())))
  return { state, send: store.send, loadOlder: store.loadOlder }
}
