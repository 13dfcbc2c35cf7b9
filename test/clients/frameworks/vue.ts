/** A composable for Vue. */
import { sessionStore, type FactotumClient } from '@factotum/client'
import { onScopeDispose, shallowRef } from 'vue'

export function useSession(client: FactotumClient, id: string) {
  const store = sessionStore(client, id)
  const state = shallowRef(store.getSnapshot())
  onScopeDispose(store.subscribe(() => (state.value = store.getSnapshot())))
  return { state, send: store.send, loadOlder: store.loadOlder }
}
