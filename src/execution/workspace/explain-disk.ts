/** The sentence for people when the disk of workspaces takes no changes. */
import { AppError } from '../../core/errors.ts'
import { hasCode } from '../../platform/error-code.ts'

/** Full, mounted read-only, failing, or no longer the server's to write. */
const TAKES_NO_CHANGES = ['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EACCES', 'EPERM'] as const

/** STORAGE_FULL (retry: backoff) with that sentence, and the error as its cause; any other error as it is. */
export function explainDisk(error: unknown, problem: string): unknown {
  if (!hasCode(error, ...TAKES_NO_CHANGES)) return error
  return new AppError('STORAGE_FULL', problem, { retry: 'backoff', cause: error })
}
