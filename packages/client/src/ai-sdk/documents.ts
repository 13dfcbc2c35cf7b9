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

/** A turn, as far as what is left to show of it. */
export interface ShownTurn {
  readonly status: string
  /** Where in the log it ended; null until it has, and where its events have been removed. */
  readonly lastSeq: number | null
  readonly message: { readonly id: string }
}

/** Where in the log a turn begins and ends, and what it is of; null where it may not be seen. */
export const TurnStartDocument = typed<
  { readonly turn: (ShownTurn & { readonly firstSeq: number }) | null },
  { readonly id: string }
>('query TurnStart($id: ID!) { turn(id: $id) { firstSeq lastSeq status message { id } } }')

/** The turn of an approval, and where in the log the session's newest approvals were asked for or settled. */
export const DecidedTurnDocument = typed<
  {
    readonly approval: { readonly turn?: ShownTurn & { readonly id: string } } | null
    readonly session: {
      readonly events: {
        readonly edges: readonly {
          readonly node: { readonly seq: number; readonly approval?: { readonly id: string } }
        }[]
      }
    } | null
  },
  { readonly id: string; readonly sessionId: string }
>(`query DecidedTurn($id: ID!, $sessionId: ID!) {
  approval: node(id: $id) { ... on Approval { turn { id status lastSeq message { id } } } }
  session(id: $sessionId) {
    events(last: 50, types: [APPROVAL]) { edges { node { seq ... on ApprovalEvent { approval { id } } } } }
  }
}`)

/** Requests the end of the turn that runs in the session; repeated after that it is refused, and changes nothing. */
export const StopTurnDocument = typed<object, { readonly input: { readonly sessionId: string } }>(
  'mutation StopTurn($input: CancelTurnInput!) { cancelTurn(input: $input) { __typename } }',
)
