/** Whether a request that failed has surely not reached its server. */
import { SdkError, SdkErrorCode } from '@modelcontextprotocol/client'
import { AppError } from '../core/errors.ts'
import { hasCode } from '../platform/error-code.ts'

/** No connection came about, so nothing was sent. */
const NOT_CONNECTED = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]

/** The request did not leave, so nothing can have happened. */
export function isUnsent(error: unknown): boolean {
  if (error instanceof AppError) return error.code === 'TOOLS_UNREACHABLE'
  if (error instanceof SdkError && error.code === SdkErrorCode.NotConnected) return true
  if (!(error instanceof Error)) return false
  // Before a request is sent, the package says this without a code.
  if (error.message === 'Not connected') return true
  const causes = error.cause instanceof AggregateError ? error.cause.errors : [error.cause]
  return causes.length > 0 && causes.every((cause) => NOT_CONNECTED.some((code) => hasCode(cause, code)))
}
