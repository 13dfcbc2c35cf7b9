/**
 * What a client can act on. Refusals are values, never thrown: every use case returns its payload or one of these, and
 * the GraphQL door shows them as members of the mutation's result union.
 */
export interface InputIssue {
  readonly path: readonly string[]
  readonly message: string
}

/** What kind of conflict it is, for programs. */
export type ConflictReason =
  | 'NOT_ALLOWED'
  | 'ALREADY_DECIDED'
  | 'BUSY'
  | 'NOT_WAITING'
  | 'NOT_FAILED'
  | 'NOTHING_TO_DO'
  | 'SAME_EXISTS'
  | 'KEY_REUSED'
  | 'STALE_VERSION'
  | 'INVALIDATED'
  | 'WRONG_TYPE'
  | 'NO_WEBHOOK'
  | 'USER_UNKNOWN'
  | 'UNREADABLE'
  | 'NAME_TAKEN'
  | 'DECLARED'
  | 'LAST_ADMIN'

export type Refusal =
  | { readonly kind: 'InvalidInput'; readonly message: string; readonly issues: readonly InputIssue[] }
  /** Also what a caller gets who may not see the thing: the answer must be the same as if it did not exist. */
  | { readonly kind: 'NotFound'; readonly message: string; readonly id: string }
  /** The thing is not in a state that allows this. */
  | {
      readonly kind: 'Conflict'
      readonly message: string
      readonly reason: ConflictReason
      /** The thing that stands in the way or is in another state, as it is now; null when there is none to show. */
      readonly currentId: string | null
    }
  | {
      readonly kind: 'LimitExceeded'
      readonly message: string
      readonly limit: number
      /** How much there is already. */
      readonly current: number
      readonly retryAfterMs: number | null
    }

/** `message` goes on from the name of the field ("must be …"), or is a sentence of its own. */
export function invalidInput(path: readonly string[], message: string): Refusal {
  return /^[a-z]/.test(message)
    ? ofIssues([{ path, message }])
    : { kind: 'InvalidInput', message, issues: [{ path, message }] }
}

export function notFound(what: string, id: string): Refusal {
  return { kind: 'NotFound', message: `There is no ${what} "${id}" that you may see.`, id }
}

/**
 * `current`: the id of what stands in the way. Give one only to callers who may know that the thing exists; the API
 * shows it to those who may see it.
 */
export function conflict(reason: ConflictReason, message: string, current: string | null = null): Refusal {
  return { kind: 'Conflict', message, reason, currentId: current }
}

/** What is wrong with an input, as one refusal that names every issue at once; null when there is none. */
export function refuseInput(issues: readonly InputIssue[]): Refusal | null {
  return issues.length === 0 ? null : ofIssues(issues)
}

function ofIssues(issues: readonly InputIssue[]): Refusal {
  const message = issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ')
  return { kind: 'InvalidInput', message, issues }
}
