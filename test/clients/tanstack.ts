/** TanStack Query: documents typed by GraphQL Code Generator; the page is what the newest event brought. */
import { QueryClient } from '@tanstack/query-core'
import type { Client } from 'graphql-ws'
import { ChatPagesDocument, type ChatPagesSubscription, type TypedDocumentString } from '../generated/graphql.ts'
import type { Place } from './live-socket.ts'

export function createQueries(place: Place) {
  const queries = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } })
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${place.token}` }
  const ask = async <Data, Variables>(query: TypedDocumentString<Data, Variables>, variables: Variables) => {
    const body = JSON.stringify({ query, variables })
    const response = await fetch(`${place.url}/graphql`, { method: 'POST', headers, body })
    const { data, errors } = (await response.json()) as { data?: Data; errors?: readonly Error[] }
    if (data == null || errors !== undefined) throw new Error(errors?.[0]?.message ?? 'no data')
    return data
  }
  return { queries, ask }
}

type ChatEvent = ChatPagesSubscription['sessionEvents']

/** Keeps the page of a session right; `after`: its lastSeq. */
export function followPages(
  { queries, socket }: { readonly queries: QueryClient; readonly socket: Client },
  { id, after }: { readonly id: string; readonly after: number },
  onEvent: (event: ChatEvent) => void,
): () => void {
  return socket.subscribe<ChatPagesSubscription>(
    { query: String(ChatPagesDocument), variables: { id, after } },
    {
      next: ({ data }) => {
        if (data == null) return
        const event = data.sessionEvents
        if ('session' in event) queries.setQueryData(['chat', id], { session: event.session })
        onEvent(event)
      },
      error: (error) => console.error(error),
      complete: () => {},
    },
  )
}
