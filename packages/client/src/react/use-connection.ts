import { useCallback, useSyncExternalStore } from 'react'
import type { ConnectionState } from '../connection.ts'
import { useClient } from './factotum-provider.ts'

/** Whether the page is live: 'idle' while nothing is followed. */
export function useConnection(): ConnectionState {
  const client = useClient()
  const subscribe = useCallback((listener: () => void) => client.watchConnection(listener), [client])
  const read = useCallback(() => client.connectionState, [client])
  return useSyncExternalStore(subscribe, read, read)
}
