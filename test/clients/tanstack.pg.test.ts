/** TanStack Query, whose cache holds whole answers. */
import { QueryObserver } from '@tanstack/query-core'
import {
  ChatDocument,
  ChatListDocument,
  ChatListUpdatesDocument,
  SayDocument,
  type ChatListQuery,
  type ChatListUpdatesSubscription,
  type ChatQuery,
} from '../generated/graphql.ts'
import { judgeClient, type OpenPage, type Shown } from './judge-client.ts'
import { createQueries, followPages } from './tanstack.ts'

const openTanstack: OpenPage = (place, socket) => {
  const { queries, ask } = createQueries(place)
  let chat: Shown<ChatQuery>
  let list: Shown<ChatListQuery>
  return {
    openChat: (id) =>
      new Promise((resolve) => {
        const queryFn = (): Promise<ChatQuery> => ask(ChatDocument, { id })
        new QueryObserver(queries, { queryKey: ['chat', id], queryFn }).subscribe(({ data }) => {
          chat = data
          if (data?.session != null) resolve(data.session.lastSeq)
        })
      }),
    chat: () => chat,
    followChat: (id, after, onEvent) => void followPages({ queries, socket }, { id, after }, onEvent),
    say: async (input) => (await ask(SayDocument, { input })).sendMessage,
    openList: () => {
      const queryFn = (): Promise<ChatListQuery> => ask(ChatListDocument, {})
      new QueryObserver(queries, { queryKey: ['list'], queryFn }).subscribe(({ data }) => (list = data))
      socket.subscribe<ChatListUpdatesSubscription>(
        { query: String(ChatListUpdatesDocument) },
        {
          // Nothing is normalised: the list is read for each of its updates.
          next: () => void queries.invalidateQueries({ queryKey: ['list'] }),
          error: (error) => console.error(error),
          complete: () => {},
        },
      )
    },
    list: () => list,
    close: () => queries.clear(),
  }
}

judgeClient('tanstack', openTanstack)
