/** What the transport asks besides what the client does. */
import type { TypedDocument } from '../connection.ts'

/** A document, with the types of what comes out of it and of what goes in. */
function typed<Data, Variables>(text: string): TypedDocument<Data, Variables> {
  return { toString: () => text }
}

export const OwnNamespaceDocument = typed<{ readonly viewer: { readonly ownNamespace: string } }, object>(
  '{ viewer { ownNamespace } }',
)

export const TurnOfMessageDocument = typed<
  {
    readonly message: {
      readonly turn: {
        readonly id: string
        readonly firstSeq: number
        readonly joinedInto: { readonly id: string } | null
      } | null
    } | null
  },
  { readonly id: string }
>('query TurnOfMessage($id: ID!) { message(id: $id) { turn { id firstSeq joinedInto { id } } } }')

export const TurnStartDocument = typed<
  {
    readonly turn: {
      readonly firstSeq: number
      readonly status: string
      readonly message: { readonly id: string }
    } | null
  },
  { readonly id: string }
>('query TurnStart($id: ID!) { turn(id: $id) { firstSeq status message { id } } }')

export const StopTurnDocument = typed<object, { readonly input: { readonly sessionId: string } }>(
  'mutation StopTurn($input: CancelTurnInput!) { cancelTurn(input: $input) { __typename } }',
)
