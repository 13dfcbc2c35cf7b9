/** Assertions for what must hold. A failure is a bug: it throws, and the door masks it with a correlation id. */
export class BugError extends Error {
  override readonly name = 'BugError'
}

/** Throws `BugError` unless `condition` holds. */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new BugError(message)
}

/** The value, which the caller knows to be there. */
export function must<T>(value: T | null | undefined, message: string): T {
  if (value === null || value === undefined) throw new BugError(message)
  return value
}

/** For the default branch of an exhaustive switch. */
export function unreachable(value: never): never {
  throw new BugError(`unreachable: ${JSON.stringify(value)}`)
}
