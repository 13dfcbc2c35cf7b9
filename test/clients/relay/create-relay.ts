/** Relay: the store and the network of a page. Components, their `graphql` tags and the compiler are as ever. */
import type { Client } from 'graphql-ws'
import { ConnectionHandler, Environment, Network, Observable, RecordSource, Store } from 'relay-runtime'
import type { FetchFunction, GraphQLResponse, SubscribeFunction } from 'relay-runtime'
import type { Place } from '../live-socket.ts'

export function createRelay(place: Place, socket: Client): Environment {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${place.token}` }
  const ask: FetchFunction = async ({ text: query }, variables) => {
    const body = JSON.stringify({ query, variables })
    const response = await fetch(`${place.url}/graphql`, { method: 'POST', headers, body })
    return (await response.json()) as GraphQLResponse
  }
  const follow: SubscribeFunction = ({ text }, variables) =>
    Observable.create((sink) => socket.subscribe({ query: text ?? '', variables }, sink as never))
  return new Environment({ network: Network.create(ask, follow), store: new Store(new RecordSource()) })
}

/** Variables of the subscription that keeps a page right; `after`: its lastSeq. */
export function eventsOfChat(id: string, after: number) {
  return { id, after, connections: [ConnectionHandler.getConnectionID(id, 'Chat_conversation')] }
}
