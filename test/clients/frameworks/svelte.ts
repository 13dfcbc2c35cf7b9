/** A store for Svelte: `$state` in a component. */
import { sessionStore, type FactotumClient } from '@factotum/client'
import { readable } from 'svelte/store'

export function useSession(client: FactotumClient, id: string) {
  const store = sessionStore(client, id)
  const state = readable(store.getSnapshot(), (set) => {
    set(store.getSnapshot())
    return store.subscribe(() => set(store.getSnapshot()))
  })
  return { state, send: store.send, loadOlder: store.loadOlder }
}
