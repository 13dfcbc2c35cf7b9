/** Whether `error` carries one of these codes: a system call's (ENOENT, EACCES) or an SQLSTATE. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}
