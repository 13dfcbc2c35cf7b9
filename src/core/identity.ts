/**
 * Who asks, and whom they speak for. Frozen when a request or a turn starts; roles are read again before every task.
 */
export type Role = 'ADMIN' | 'USER'
export type TokenKind = 'CONNECTOR' | 'USER'

export interface User {
  readonly name: string
  readonly role: Role
}

/** The caller of a request: a named token, and the user it is bound to (tokens of kind USER only). */
export interface Viewer {
  readonly tokenName: string
  readonly tokenKind: TokenKind
  /**
   * A connector may only touch sessions whose id starts with `<namespace>:`. Null: it may touch all (or is no
   * connector).
   */
  readonly namespace: string | null
  readonly user: User | null
  /** The bound user's role; connectors are USER. */
  readonly role: Role
}

/** What a message's `user` resolves to. Untrusted senders are stored for context and never start a turn. */
export type Sender =
  | { readonly trusted: true; readonly name: string; readonly role: Role }
  | { readonly trusted: false; readonly name: string }

/**
 * By what a request says who it is from: a token, or what the cookie of a login holds. Neither is taken for the
 * other.
 */
export interface Credential {
  readonly kind: 'TOKEN' | 'LOGIN'
  readonly secret: string
}

/** The trace that a message comes from, by W3C Trace Context: that of a client, or of a turn that delegates. */
export interface ClientTrace {
  /** A `traceparent` that is one, in 55 characters. */
  readonly parent: string
  /** A `tracestate`, which is handed on as it is; null: it has none. */
  readonly state: string | null
}
