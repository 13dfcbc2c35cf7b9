/** graphql-sse, in its distinct mode: one request for each subscription, also where WebSockets do not get through. */
import { resuming } from '@factotum/client/resuming'
import { createClient, type Client, type ClientOptions } from 'graphql-sse'

interface Place extends Pick<ClientOptions, 'retry'> {
  /** Of the server, such as "https://factotum.example". */
  readonly url: string
  readonly token: string
}

export function openEventStreams({ url, token, ...options }: Place): Client {
  const client = createClient({
    url: `${url}/graphql`,
    headers: { authorization: `Bearer ${token}` },
    retryAttempts: Infinity,
    // It would come back with a token that is not let in, too.
    fetchFn: async (...request: Parameters<typeof fetch>) => {
      const response = await fetch(...request)
      if (response.status === 401) client.dispose()
      return response
    },
    ...options,
  })
  return resuming(client)
}
