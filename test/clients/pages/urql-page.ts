/** A page by urql with its normalised cache, graphcache. `introspection`: of schema.graphql. */
import type { OperationResult, OperationResultSource } from '@urql/core'
import type { IntrospectionQuery } from 'graphql'
import {
  ChatDocument,
  ChatEventsDocument,
  ChatListDocument,
  ChatFactDocument,
  ChatListUpdatesDocument,
  SayDocument,
  type ChatEventsSubscription,
  type ChatFactQuery,
  type ChatListQuery,
  type ChatListUpdatesSubscription,
  type ChatQuery,
  type SayMutation,
} from '../../generated/graphql.ts'
import { createUrql } from '../urql.ts'
import { operation, type OpenPage, type OperationName, type ResultOf, type Shown, type ShownFact } from './page.ts'

export const openUrql =
  (introspection: IntrospectionQuery): OpenPage =>
  (place, socket) => {
    const client = createUrql(place, socket, introspection)
    let chat: Shown<ChatQuery>
    let list: Shown<ChatListQuery>
    let fact: ShownFact
    const sources: { unsubscribe(): void }[] = []
    const on = <Data>(
      source: OperationResultSource<OperationResult<Data>>,
      notify: (data: Shown<Data>) => void,
    ): void => {
      sources.push(source.subscribe(({ data, stale }) => notify(stale ? null : data)))
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
      run: async <Name extends OperationName>(name: Name, variables: Record<string, unknown>) => {
        type Data = ResultOf<Name>
        const { text, isMutation } = operation(name)
        const asked = isMutation
          ? client.mutation<Data>(text, variables)
          : client.query<Data>(text, variables, { requestPolicy: 'network-only' })
        const { data, error } = await asked.toPromise()
        if (data === undefined) throw error ?? new Error('no data')
        return data
      },
      openFact: (id) =>
        new Promise((resolve) => {
          on(client.query<ChatFactQuery>(String(ChatFactDocument), { id }), (data) => {
            if (data == null) return
            fact = data.node
            resolve()
          })
        }),
      fact: () => fact,
      close: () => {
        for (const source of sources) source.unsubscribe()
      },
    }
  }
