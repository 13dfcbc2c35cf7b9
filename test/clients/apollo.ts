/** Apollo Client 4: queries over HTTP, subscriptions over WebSocket, one entry in the cache for each id. */
import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from '@apollo/client'
import { GraphQLWsLink } from '@apollo/client/link/subscriptions'
import type { Client } from 'graphql-ws'
import {
  ChatDocument,
  ChatEventsDocument,
  type ChatEventsSubscription,
  type ChatEventsSubscriptionVariables,
  type ChatQuery,
} from '../generated/graphql.ts'
import type { Place } from './live-socket.ts'
import { withEntry } from './with-entry.ts'

export async function createApollo(place: Place, socket: Client): Promise<ApolloClient> {
  const possibleTypes = (await (await fetch(`${place.url}/possibleTypes.json`)).json()) as Record<string, string[]>
  const http = new HttpLink({ uri: `${place.url}/graphql`, headers: { authorization: `Bearer ${place.token}` } })
  const live = new GraphQLWsLink(socket)
  return new ApolloClient({
    // Each event takes the place of the one before: what they are about has ids.
    cache: new InMemoryCache({
      possibleTypes,
      typePolicies: { Subscription: { fields: { sessionEvents: { merge: false } } } },
    }),
    link: ApolloLink.split(({ operationType }) => operationType === 'subscription', live, http),
  })
}

type ChatEvent = ChatEventsSubscription['sessionEvents']
const CHAT = gql(String(ChatDocument))
const CHAT_EVENTS = gql(String(ChatEventsDocument))

/** Keeps the page of a session right; `after`: its lastSeq. */
export function followChat(
  client: ApolloClient,
  variables: ChatEventsSubscriptionVariables,
  on: (event: ChatEvent) => void,
) {
  const { id } = variables
  const events = client.subscribe<ChatEventsSubscription>({ query: CHAT_EVENTS, variables })
  return events.subscribe(({ data }) => {
    if (data === undefined) return
    const event = data.sessionEvents
    if ('entry' in event) {
      const { entry } = event
      client.cache.updateQuery<ChatQuery>({ query: CHAT, variables: { id } }, (page) => page && withEntry(page, entry))
    }
    on(event)
  })
}
