/** Whether `error` carries one of these codes: a system call's (ENOENT, EACCES) or an SQLSTATE. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}

/**
 * What an error says and, in brackets, what the one behind it said: for operators. The message alone is for clients,
 * from whom addresses and the words of the database are kept.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined ? error.message : `${error.message} (${reasonOf(error.cause)})`
}
