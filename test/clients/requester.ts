/** graphql-request: for scripts that ask and do not follow. */
import { GraphQLClient } from 'graphql-request'
import { SayDocument, type SayMutation, type TypedDocumentString } from '../generated/graphql.ts'
import type { Place } from './live-socket.ts'

export function createRequester({ url, token }: Place) {
  const client = new GraphQLClient(`${url}/graphql`, { headers: { authorization: `Bearer ${token}` } })
  return <Data, Variables extends object>(document: TypedDocumentString<Data, Variables>, variables: Variables) =>
    client.request<Data>(String(document), variables)
}

type Requester = ReturnType<typeof createRequester>

/** May be called again with the same key when the answer was lost: the message is there once. */
export async function say(
  ask: Requester,
  message: { readonly sessionId: string; readonly content: string; readonly idempotencyKey: string },
): Promise<SayMutation['sendMessage']> {
  const { sendMessage } = await ask(SayDocument, { input: message })
  // A refusal is no error: it has a code for programs and a problem for people.
  if ('problem' in sendMessage) console.error(sendMessage.problem)
  return sendMessage
}
