/** Relay's store, by artifacts of its compiler. */
import {
  commitMutation,
  createOperationDescriptor,
  fetchQuery,
  requestSubscription,
  type ConcreteRequest,
  type Environment,
  type MutationParameters,
  type OperationDescriptor,
  type OperationType,
} from 'relay-runtime'
import { beforeAll } from 'vitest'
import type {
  ChatEventsSubscription,
  ChatListQuery,
  ChatListUpdatesSubscription,
  ChatQuery,
  SayMutation,
} from '../../generated/graphql.ts'
import { compileForRelay } from './compile-for-relay.ts'
import { judgeClient, type OpenPage, type Shown } from '../judge-client.ts'
import { createRelay, eventsOfChat } from './create-relay.ts'

let artifact: (operation: string) => ConcreteRequest
beforeAll(async () => {
  artifact = await compileForRelay()
})

/** What the store has for a query, and what becomes of it; null while something of it is missing. */
function show<Data>(environment: Environment, operation: OperationDescriptor, on: (data: Shown<Data>) => void): void {
  environment.retain(operation)
  const snapshot = environment.lookup(operation.fragment)
  const tell = ({ data, isMissingData }: typeof snapshot): void => on(isMissingData ? null : (data as Shown<Data>))
  tell(snapshot)
  environment.subscribe(snapshot, tell)
}

const openRelay: OpenPage = (place, socket) => {
  const environment = createRelay(place, socket)
  let chat: Shown<ChatQuery>
  let list: Shown<ChatListQuery>
  const read = <Data>(query: ConcreteRequest, variables: object) =>
    fetchQuery<OperationType & { response: Data }>(environment, query, variables, { fetchPolicy: 'network-only' })
  return {
    openChat: async (id) => {
      const query = artifact('ChatQuery')
      const data = await read<ChatQuery>(query, { id }).toPromise()
      show<ChatQuery>(environment, createOperationDescriptor(query, { id }), (shown) => (chat = shown))
      return data?.session?.lastSeq ?? 0
    },
    chat: () => chat,
    followChat: (id, after, onEvent) => {
      requestSubscription<OperationType & { response: ChatEventsSubscription }>(environment, {
        subscription: artifact('ChatEventsSubscription'),
        variables: eventsOfChat(id, after),
        onNext: (data) => data != null && onEvent(data.sessionEvents),
      })
    },
    say: (input) =>
      new Promise((resolve, reject) => {
        commitMutation<MutationParameters & { response: SayMutation }>(environment, {
          mutation: artifact('ChatSayMutation'),
          variables: { input },
          onCompleted: ({ sendMessage }) => resolve(sendMessage),
          onError: reject,
        })
      }),
    openList: () => {
      const query = artifact('ChatListQuery')
      show<ChatListQuery>(environment, createOperationDescriptor(query, {}), (shown) => (list = shown))
      requestSubscription<OperationType & { response: ChatListUpdatesSubscription }>(environment, {
        subscription: artifact('ChatListUpdatesSubscription'),
        variables: {},
        onNext: (data) => void (data?.sessionUpdates.readList === true && read(query, {}).toPromise()),
      })
    },
    list: () => list,
    close: () => {},
  }
}

judgeClient('relay', openRelay)
