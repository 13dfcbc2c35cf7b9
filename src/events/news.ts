/**
 * What processes tell each other, always after the commit it speaks of. News may be lost (a cut connection, a full buffer):
 * everybody who listens also looks by himself now and then.
 */
export type News =
  /** The session's log reached `seq`. `list`: a field that lists of sessions show may have changed. */
  | { readonly kind: 'log'; readonly sessionId: string; readonly seq: number; readonly list: boolean }
  /** The session has a turn to run. */
  | { readonly kind: 'work'; readonly sessionId: string }
  /** The turn is to be cancelled, if it still runs. */
  | { readonly kind: 'cancel'; readonly sessionId: string; readonly turnId: string }
  /** The fact, learning or question with this id (its prefix tells which) is new, or changed. */
  | { readonly kind: 'knowledge'; readonly id: string }
  /** The approval was asked for or settled. */
  | { readonly kind: 'approval'; readonly id: string; readonly sessionId: string }
  /** The audit has a new seal. */
  | { readonly kind: 'audit' }
  /** The process `by` has let in so many operations of the token; its `n`th such news. */
  | {
      readonly kind: 'spent'
      readonly by: string
      readonly n: number
      readonly token: string
      readonly count: number
    }
  /** The session was deleted. */
  | { readonly kind: 'gone'; readonly sessionId: string }

/** What handlers hear: news, or that some may have been missed while the connection was down. */
export type Heard = News | { readonly kind: 'resync' }

export type HeardOf<Kind extends Heard['kind']> = Extract<Heard, { kind: Kind }>
