/** How a command ends: a process's exit code, and what scripts may rely on. */
export const EXIT = {
  done: 0,
  /** The turn failed or was cancelled, or the server refused. */
  failed: 1,
  /** It waits for an approval that cannot be given here. */
  waits: 3,
  /** It was interrupted, and what it has sent goes on: what a shell says of a program that SIGINT ended. */
  interrupted: 130,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** What was asked for is refused, as its message says: no bug, and nothing to try again. */
export class RefusedError extends Error {}

/** What mutations answer: a payload, or a refusal with a sentence for people. */
export interface Answered {
  readonly __typename: string
  readonly problem?: string
}

/** The sentence of a refusal; null when it was done. */
export function refusalOf(result: Answered): string | null {
  return result.problem ?? null
}
