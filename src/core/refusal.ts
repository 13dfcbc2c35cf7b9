/**
 * What a client can act on. Refusals are values, never thrown: every use case returns its payload or one of these, and
 * the GraphQL door shows them as members of the mutation's result union.
 */
export interface InputIssue {
  readonly path: readonly string[]
  readonly message: string
}

export type Refusal =
  | { readonly kind: 'InvalidInput'; readonly message: string; readonly issues: readonly InputIssue[] }
  /** Also what a caller gets who may not see the thing: the answer must be the same as if it did not exist. */
  | { readonly kind: 'NotFound'; readonly message: string; readonly id: string }
  /** The thing is not in a state that allows this. */
  | { readonly kind: 'Conflict'; readonly message: string }
  | {
      readonly kind: 'LimitExceeded'
      readonly message: string
      readonly limit: number
      /** How much there is already. */
      readonly current: number
      readonly retryAfterMs: number | null
    }

export function invalidInput(path: readonly string[], message: string): Refusal {
  return { kind: 'InvalidInput', message, issues: [{ path, message }] }
}

export function notFound(what: string, id: string): Refusal {
  return { kind: 'NotFound', message: `There is no ${what} "${id}" that you may see.`, id }
}

export function conflict(message: string): Refusal {
  return { kind: 'Conflict', message }
}
