/** A page by Apollo Client 4, with its normalised cache. */
import { gql } from '@apollo/client'
import {
  ChatDocument,
  ChatListDocument,
  ChatFactDocument,
  ChatListUpdatesDocument,
  SayDocument,
  type ChatFactQuery,
  type ChatListQuery,
  type ChatListUpdatesSubscription,
  type ChatQuery,
  type SayMutation,
} from '../../generated/graphql.ts'
import { createApollo, followChat } from '../apollo.ts'
import { operation, type OpenPage, type OperationName, type ResultOf, type Shown, type ShownFact } from './page.ts'

export const openApollo: OpenPage = async (place, socket) => {
  const client = await createApollo(place, socket)
  let chat: Shown<ChatQuery>
  let list: Shown<ChatListQuery>
  let fact: ShownFact
  const shown = <Data>(document: unknown, variables = {}) =>
    client.watchQuery<Data>({ query: gql(String(document)), variables })
  return {
    openChat: (id) =>
      new Promise((resolve) => {
        shown<ChatQuery>(ChatDocument, { id }).subscribe(({ data, dataState }) => {
          chat = dataState === 'complete' ? data : null
          if (chat?.session != null) resolve(chat.session.lastSeq)
        })
      }),
    chat: () => chat,
    followChat: (id, after, onEvent) => void followChat(client, { id, after }, onEvent),
    say: async (input) => {
      const { data } = await client.mutate<SayMutation>({ mutation: gql(String(SayDocument)), variables: { input } })
      if (data === undefined) throw new Error('no data')
      return data.sendMessage
    },
    openList: () => {
      const query = shown<ChatListQuery>(ChatListDocument)
      query.subscribe(({ data, dataState }) => (list = dataState === 'complete' ? data : null))
      client
        .subscribe<ChatListUpdatesSubscription>({ query: gql(String(ChatListUpdatesDocument)) })
        .subscribe(({ data }) => void (data?.sessionUpdates.readList === true && query.refetch()))
    },
    list: () => list,
    run: async <Name extends OperationName>(name: Name, variables: Record<string, unknown>) => {
      type Data = ResultOf<Name>
      const { text, isMutation } = operation(name)
      const document = gql(text)
      const { data } = isMutation
        ? await client.mutate<Data>({ mutation: document, variables })
        : await client.query<Data>({ query: document, variables, fetchPolicy: 'network-only' })
      if (data == null) throw new Error('no data')
      return data as Data
    },
    openFact: (id) =>
      new Promise((resolve) => {
        shown<ChatFactQuery>(ChatFactDocument, { id }).subscribe(({ data, dataState }) => {
          if (dataState !== 'complete') return
          fact = data.node
          resolve()
        })
      }),
    fact: () => fact,
    close: () => client.stop(),
  }
}
