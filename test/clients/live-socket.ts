/** One WebSocket for all subscriptions. It comes back by itself, and goes on behind the last event that it has seen. */
import { resuming } from '@factotum/client/resuming'
import { createClient, type Client, type ClientOptions } from 'graphql-ws'

export interface Place extends Pick<ClientOptions, 'retryWait'> {
  /** Of the server, such as "https://factotum.example". */
  readonly url: string
  readonly token: string
}

/** Hand it to one client or to several; each of their subscriptions goes on behind the last event that it has seen. */
export function openSocket({ url, token, ...options }: Place): Client {
  const socket = createClient({
    url: `${url.replace(/^http/, 'ws')}/graphql`,
    connectionParams: { authorization: `Bearer ${token}` },
    retryAttempts: Infinity,
    // Also where no connection comes about. Codes such as 4401 end it nevertheless.
    shouldRetry: () => true,
    keepAlive: 15_000,
    ...options,
  })
  return resuming(socket)
}
