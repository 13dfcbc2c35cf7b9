/** Apollo Client 4 with its normalised cache. */
import { gql } from '@apollo/client'
import {
  ChatDocument,
  ChatListDocument,
  ChatListUpdatesDocument,
  SayDocument,
  type ChatListQuery,
  type ChatListUpdatesSubscription,
  type ChatQuery,
  type SayMutation,
} from '../generated/graphql.ts'
import { createApollo, followChat } from './apollo.ts'
import { judgeClient, type OpenPage, type Shown } from './judge-client.ts'

const openApollo: OpenPage = async (place, socket) => {
  const client = await createApollo(place, socket)
  let chat: Shown<ChatQuery>
  let list: Shown<ChatListQuery>
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
    close: () => client.stop(),
  }
}

judgeClient('apollo', openApollo)
