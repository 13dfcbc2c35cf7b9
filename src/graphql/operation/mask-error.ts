/**
 * What clients see of errors. Errors that a resolver or graphql-js made for the client pass; operational errors show
 * their code and their message, which is written for people; everything else is a bug: it is logged in full, and the
 * client gets a correlation id to quote.
 */
import { GraphQLError, type ExecutionResult } from 'graphql'
import { AppError } from '../../core/errors.ts'
import { randomHex } from '../../platform/random.ts'
import type { Logger } from '../../platform/logger.ts'
import type { Metrics } from '../../platform/metrics.ts'
import { toAppError } from '../../store/to-app-error.ts'
import { withCode } from './parse-document.ts'

export interface MaskOptions {
  readonly logger: Logger
  readonly metrics: Metrics
}

/**
 * The operational errors that are any of a client's business. The others (models, sandbox) reach it as a turn's
 * failure.
 */
const SHOWN_CODES: ReadonlySet<string> = new Set(['DATABASE_UNAVAILABLE', 'STORAGE_FULL', 'SHUTTING_DOWN'])

export function maskResult(result: ExecutionResult, options: MaskOptions): ExecutionResult {
  if (result.errors === undefined) return result
  return { ...result, errors: result.errors.map((error) => maskError(error, options)) }
}

export function maskError(error: unknown, { logger, metrics }: MaskOptions): GraphQLError {
  // Made for the client: by a resolver, with a code, or by graphql-js, about the request.
  if (error instanceof GraphQLError && error.extensions['code'] !== undefined) return error
  const cause = rootCause(error)
  if (error instanceof GraphQLError && cause instanceof GraphQLError) return withCode(error, 'BAD_USER_INPUT')
  const location = error instanceof GraphQLError ? { nodes: error.nodes, path: error.path } : {}
  const operational = toAppError(cause)
  if (operational instanceof AppError && SHOWN_CODES.has(operational.code)) {
    const { code, retryAfterMs, message } = operational
    metrics.databaseErrors.inc({ code })
    logger.warn({ err: cause, path: location.path }, 'an operation failed')
    return new GraphQLError(message, {
      ...location,
      extensions: retryAfterMs === null ? { code } : { code, retryAfterMs },
    })
  }
  const correlationId = randomHex(8)
  metrics.maskedErrors.inc()
  logger.error({ err: cause, correlationId, path: location.path }, 'unexpected error, masked')
  return new GraphQLError(`Something went wrong on our side. Quote ${correlationId} when you report it.`, {
    ...location,
    extensions: { code: 'INTERNAL_SERVER_ERROR', correlationId },
  })
}

/** What a resolver threw: graphql-js wraps it to say where. */
function rootCause(error: unknown): unknown {
  let cause = error
  while (cause instanceof GraphQLError && cause.originalError != null) cause = cause.originalError
  return cause
}
