/** What the transport asks besides what the client does. */
import type { TypedDocument } from '../connection.ts'

/** A document, with the types of what comes out of it and of what goes in. */
function typed<Data, Variables>(text: string): TypedDocument<Data, Variables> {
  return { toString: () => text }
}

/** The name space in which the token's user opens sessions, such as "@anna". */
export const OwnNamespaceDocument = typed<{ readonly viewer: { readonly ownNamespace: string } }, object>(
  '{ viewer { ownNamespace } }',
)

/**
 * The turn that a message started, and the one that has taken it along; `turn` is null where it started none, `message`
 * where it may not be seen.
 */
export const TurnOfMessageDocument = typed<
  {
    readonly message: {
      readonly turn: {
        readonly id: string
        readonly firstSeq: number
        readonly status: string
        readonly joinedInto: { readonly id: string } | null
      } | null
    } | null
  },
  { readonly id: string }
>('query TurnOfMessage($id: ID!) { message(id: $id) { turn { id firstSeq status joinedInto { id } } } }')

/** Where in the log a turn begins, what it is of and whether it has ended; null where it may not be seen. */
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

/** Requests the end of the turn that runs in the session; repeated after that it is refused, and changes nothing. */
export const StopTurnDocument = typed<object, { readonly input: { readonly sessionId: string } }>(
  'mutation StopTurn($input: CancelTurnInput!) { cancelTurn(input: $input) { __typename } }',
)
