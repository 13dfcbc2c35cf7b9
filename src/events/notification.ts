/**
 * What processes notify each other of, always after the commit that it is about. A notification may be lost (a cut
 * connection, a full buffer): all that listen also poll.
 */
export type Notification =
  /** The session's log reached `seq`. `list`: a field that lists of sessions show may have changed. */
  | { readonly kind: 'log'; readonly sessionId: string; readonly seq: number; readonly list: boolean }
  /** The session has a turn to run. */
  | { readonly kind: 'work'; readonly sessionId: string }
  /** The turn is to be cancelled, if it still runs. */
  | { readonly kind: 'cancel'; readonly sessionId: string; readonly turnId: string }
  /** What has this id is new, or changed: a fact, learning, proposal, question, delivery or plugin, by its prefix. */
  | { readonly kind: 'row'; readonly id: string }
  /** The approval was asked for or settled. */
  | { readonly kind: 'approval'; readonly id: string; readonly sessionId: string }
  /** The schedule of this user is new, changed, deleted, or has run. */
  | { readonly kind: 'schedule'; readonly id: string; readonly userName: string }
  /** The audit has a new seal. */
  | { readonly kind: 'audit' }
  /** The process `by` has let in so many operations of the token; its `n`th such notification. */
  | {
      readonly kind: 'spent'
      readonly by: string
      readonly n: number
      readonly token: string
      readonly count: number
    }
  /** Users, aliases or tokens have changed. */
  | { readonly kind: 'people' }
  /** Of the session's log, up to event `seq`, or of what its events show things were removed. */
  | { readonly kind: 'trimmed'; readonly sessionId: string; readonly seq: number }
  /** The session was deleted. */
  | { readonly kind: 'gone'; readonly sessionId: string }

/** What handlers are called with: a notification, or that some may have been missed while the connection was down. */
export type Heard = Notification | { readonly kind: 'resync' }

/** What a handler for this kind is called with. */
export type HeardOf<Kind extends Heard['kind']> = Extract<Heard, { kind: Kind }>
