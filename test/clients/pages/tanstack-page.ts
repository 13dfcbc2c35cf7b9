/** A page by TanStack Query, whose cache holds whole answers. */
import { QueryObserver } from '@tanstack/query-core'
import {
  ChatDocument,
  ChatListDocument,
  ChatFactDocument,
  ChatListUpdatesDocument,
  SayDocument,
  type ChatEditFactMutation,
  type ChatFactQuery,
  type ChatListQuery,
  type ChatListUpdatesSubscription,
  type ChatQuery,
  type TypedDocumentString,
} from '../../generated/graphql.ts'
import { createQueries, followPages } from '../tanstack.ts'
import { OPERATIONS, type OpenPage, type OperationName, type ResultOf, type Shown, type ShownFact } from './page.ts'

export const openTanstack: OpenPage = (place, socket) => {
  const { queries, ask } = createQueries(place)
  let chat: Shown<ChatQuery>
  let list: Shown<ChatListQuery>
  let fact: ShownFact
  const keepFact = (node: ShownFact): void => {
    if (node != null) queries.setQueryData<ChatFactQuery>(['fact', node.id], { node })
  }
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
    run: async <Name extends OperationName>(name: Name, variables: Record<string, unknown>) => {
      type Data = ResultOf<Name>
      const data = await ask(OPERATIONS[name] as TypedDocumentString<Data, object>, variables)
      // Nothing is normalised: what an answer shows is put where it belongs.
      if (name === 'ChatEditFact') keepFact(factOf((data as unknown as ChatEditFactMutation).editFact))
      if (name === 'ChatFact') keepFact((data as unknown as ChatFactQuery).node)
      return data
    },
    openFact: (id) =>
      new Promise((resolve) => {
        const queryFn = (): Promise<ChatFactQuery> => ask(ChatFactDocument, { id })
        new QueryObserver(queries, { queryKey: ['fact', id], queryFn }).subscribe(({ data }) => {
          if (data === undefined) return
          fact = data.node
          resolve()
        })
      }),
    fact: () => fact,
    close: () => queries.clear(),
  }
}

/** As it is now, whether it was edited or another was faster. */
function factOf(edited: ChatEditFactMutation['editFact']): ShownFact {
  if (edited.__typename === 'EditFactPayload') return { __typename: 'Fact', ...edited.fact }
  return edited.__typename === 'ConflictRefusal' ? edited.current : null
}
