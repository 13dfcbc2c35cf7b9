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

/** A turn that waits, its session, and the turn that waits for it where that works on a delegated task. */
export interface WaitingTurn {
  readonly turn: ShownTurn & { readonly id: string }
  readonly session: { readonly id: string; readonly delegation?: WaitingTurn | null }
}

const TURN = 'turn { id status lastSeq message { id } }'

/**
 * The turn of an approval; the session's newest approvals, with those of what it has delegated; and where in the log
 * they were asked for or settled.
 */
export const DecidedTurnDocument = typed<
  {
    readonly approval: Partial<WaitingTurn> | null
    readonly session: {
      readonly approvals: readonly {
        readonly id: string
        readonly status: string
        readonly session: { readonly id: string }
      }[]
      readonly events: {
        readonly edges: readonly {
          readonly node: {
            readonly seq: number
            readonly approval?: { readonly id: string }
            readonly pausedReason?: string
          }
        }[]
      }
    } | null
  },
  { readonly id: string; readonly sessionId: string }
>(`query DecidedTurn($id: ID!, $sessionId: ID!) {
  approval: node(id: $id) { ... on Approval { ${TURN} session { id
    delegation { ${TURN} session { id delegation { ${TURN} session { id } } } }
  } } }
  session(id: $sessionId) {
    approvals(delegated: true) { id status session { id } }
    events(last: 50, types: [APPROVAL, TURN_PAUSED]) {
      edges { node { seq ... on ApprovalEvent { approval { id } } ... on TurnPausedEvent { pausedReason } } }
    }
  }
}`)

/** What a session waits for, and those to which it has delegated; newest first. */
export const AskedDocument = typed<
  {
    readonly session: {
      readonly approvals: readonly {
        readonly id: string
        readonly viewerCan: { readonly decide: boolean }
        readonly task: { readonly id: string; readonly detail: string; readonly args?: unknown }
      }[]
    } | null
  },
  { readonly id: string }
>(`query Asked($id: ID!) {
  session(id: $id) {
    approvals(status: [PENDING], delegated: true) { id viewerCan { decide } task { id detail args } }
  }
}`)

/** Requests the end of the turn that runs in the session; repeated after that it is refused, and changes nothing. */
export const StopTurnDocument = typed<object, { readonly input: { readonly sessionId: string } }>(
  'mutation StopTurn($input: CancelTurnInput!) { cancelTurn(input: $input) { __typename } }',
)
