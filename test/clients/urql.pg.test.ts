/** urql with its normalised cache, graphcache. */
import { readFileSync } from 'node:fs'
import type { OperationResult, OperationResultSource } from '@urql/core'
import { buildSchema, introspectionFromSchema } from 'graphql'
import {
  ChatDocument,
  ChatEventsDocument,
  ChatListDocument,
  ChatListUpdatesDocument,
  SayDocument,
  type ChatEventsSubscription,
  type ChatListQuery,
  type ChatListUpdatesSubscription,
  type ChatQuery,
  type SayMutation,
} from '../generated/graphql.ts'
import { judgeClient, type OpenPage, type Shown } from './judge-client.ts'
import { createUrql } from './urql.ts'

const introspection = introspectionFromSchema(buildSchema(readFileSync('schema.graphql', 'utf8')))

const openUrql: OpenPage = (place, socket) => {
  const client = createUrql(place, socket, introspection)
  let chat: Shown<ChatQuery>
  let list: Shown<ChatListQuery>
  const sources: { unsubscribe(): void }[] = []
  const on = <Data>(source: OperationResultSource<OperationResult<Data>>, tell: (data: Shown<Data>) => void): void => {
    sources.push(source.subscribe(({ data, stale }) => tell(stale ? null : data)))
  }
  return {
    openChat: (id) =>
      new Promise((resolve) => {
        on(client.query<ChatQuery>(String(ChatDocument), { id }), (data) => {
          chat = data
          if (data?.session != null) resolve(data.session.lastSeq)
        })
      }),
    chat: () => chat,
    followChat: (id, after, onEvent) => {
      const events = client.subscription<ChatEventsSubscription>(String(ChatEventsDocument), { id, after })
      on(events, (data) => data != null && onEvent(data.sessionEvents))
    },
    say: async (input) => {
      const { data, error } = await client.mutation<SayMutation>(String(SayDocument), { input }).toPromise()
      if (data === undefined) throw error ?? new Error('no data')
      return data.sendMessage
    },
    openList: () => {
      const read = (requestPolicy: 'cache-first' | 'network-only') =>
        client.query<ChatListQuery>(String(ChatListDocument), {}, { requestPolicy })
      on(read('cache-first'), (data) => (list = data))
      on(client.subscription<ChatListUpdatesSubscription>(String(ChatListUpdatesDocument), {}), (data) => {
        if (data?.sessionUpdates.readList === true) void read('network-only').toPromise()
      })
    },
    list: () => list,
    close: () => {
      for (const source of sources) source.unsubscribe()
    },
  }
}

judgeClient('urql', openUrql)
