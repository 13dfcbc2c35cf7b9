/** urql with its normalised cache. `introspection`: of schema.graphql, by graphql's introspectionFromSchema. */
import { Client, fetchExchange, subscriptionExchange } from '@urql/core'
import { cacheExchange } from '@urql/exchange-graphcache'
import type { IntrospectionQuery } from 'graphql'
import type { Client as Socket } from 'graphql-ws'
import { ChatDocument, type ChatEventsSubscription, type ChatQuery } from '../generated/graphql.ts'
import type { Place } from './live-socket.ts'
import { withEntry } from './with-entry.ts'

const CHAT = String(ChatDocument)

export function createUrql(place: Place, socket: Socket, introspection: IntrospectionQuery): Client {
  const { types } = introspection.__schema
  const values = types.filter((type) => type.kind === 'OBJECT' && !type.fields.some(({ name }) => name === 'id'))
  const cache = cacheExchange({
    schema: introspection,
    // What has no id is a part of what holds it.
    keys: Object.fromEntries(values.map(({ name }) => [name, () => null])),
    updates: {
      Subscription: {
        sessionEvents: ({ sessionEvents: event }: ChatEventsSubscription, _args, store) => {
          if (!('entry' in event)) return
          store.updateQuery<ChatQuery>({ query: CHAT, variables: { id: event.session.id } }, (page) =>
            page === null ? null : withEntry(page, event.entry),
          )
        },
      },
    },
  })
  const live = subscriptionExchange({
    forwardSubscription: ({ query = '', variables }) => ({
      subscribe: (sink) => ({ unsubscribe: socket.subscribe({ query, variables: { ...variables } }, sink as never) }),
    }),
  })
  return new Client({
    url: `${place.url}/graphql`,
    fetchOptions: { headers: { authorization: `Bearer ${place.token}` } },
    exchanges: [cache, live, fetchExchange],
  })
}
