/** A page by Relay's store. `artifact`: what its compiler has made, by the name of the operation. */
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
import { must } from '../../../src/platform/must.ts'
import type {
  ChatEventsSubscription,
  ChatFactQuery,
  ChatListQuery,
  ChatListUpdatesSubscription,
  ChatQuery,
  SayMutation,
} from '../../generated/graphql.ts'
import { createRelay, eventsOfChat } from '../relay/create-relay.ts'
import { operation, type OpenPage, type OperationName, type ResultOf, type Shown, type ShownFact } from './page.ts'

/** What the store has for a query, and what becomes of it; null while something of it is missing. */
function show<Data>(environment: Environment, operation: OperationDescriptor, on: (data: Shown<Data>) => void): void {
  environment.retain(operation)
  const snapshot = environment.lookup(operation.fragment)
  const notify = ({ data, isMissingData }: typeof snapshot): void => on(isMissingData ? null : (data as Shown<Data>))
  notify(snapshot)
  environment.subscribe(snapshot, notify)
}

export const openRelay =
  (artifact: (operation: string) => ConcreteRequest): OpenPage =>
  (place, socket) => {
    const environment = createRelay(place, socket)
    let chat: Shown<ChatQuery>
    let list: Shown<ChatListQuery>
    let fact: ShownFact
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
      run: async <Name extends OperationName>(name: Name, variables: Record<string, unknown>) => {
        type Data = ResultOf<Name>
        if (!operation(name).isMutation) {
          const data = await read<Data>(artifact(`${name}Query`), variables).toPromise()
          return must(data, 'an answer')
        }
        return new Promise<Data>((resolve, reject) => {
          commitMutation<MutationParameters & { response: Data }>(environment, {
            mutation: artifact(`${name}Mutation`),
            variables,
            onCompleted: (data) => resolve(data),
            onError: reject,
          })
        })
      },
      openFact: async (id) => {
        const query = artifact('ChatFactQuery')
        await read<ChatFactQuery>(query, { id }).toPromise()
        show<ChatFactQuery>(environment, createOperationDescriptor(query, { id }), (shown) => (fact = shown?.node))
      },
      fact: () => fact,
      close: () => {},
    }
  }
