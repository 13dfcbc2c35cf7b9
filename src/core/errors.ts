/**
 * Operational errors: the world failed, not the code and not the caller. Refusals that a client can act on are values
 * (`refusal.ts`); bugs are `BugError`. `retry` says whether trying the same again later can help.
 */
export type AppErrorCode =
  | 'CONFIG_INVALID'
  | 'ADDRESS_UNAVAILABLE'
  | 'DATABASE_UNAVAILABLE'
  | 'STORAGE_FULL'
  | 'LEASE_LOST'
  | 'SHUTTING_DOWN'
  | 'SANDBOX_UNAVAILABLE'
  | 'COMMAND_NOT_STARTED'
  | 'COMMAND_LOST'
  | 'TOOLS_UNREACHABLE'
  | 'WORKSPACE_UNUSABLE'
  | 'SKILL_REFUSED'
  | 'PLUGIN_REFUSED'
  | 'PLUGIN_AWAY'
  | 'TRANSFER_REFUSED'
  | 'BUDGET_USED_UP'
  | 'MODEL_UNAUTHORIZED'
  | 'MODEL_UNKNOWN'
  | 'MODEL_UNREACHABLE'
  | 'MODEL_OVERLOADED'
  | 'MODEL_QUOTA'
  | 'MODEL_SILENT'
  | 'MODEL_NO_STRUCTURED_OUTPUT'
  | 'MODEL_TRUNCATED'
  | 'MODEL_REFUSED'
  | 'MODEL_BAD_OUTPUT'
  | 'MODEL_BAD_REQUEST'
  | 'MODEL_CONVERSATION_LOST'
  | 'CANCELLED'

export class AppError extends Error {
  override readonly name = 'AppError'
  readonly code: AppErrorCode
  readonly retry: 'never' | 'backoff'
  /** How long the other side asked us to wait, when it did. */
  readonly retryAfterMs: number | null

  constructor(
    code: AppErrorCode,
    message: string,
    options: { retry?: 'never' | 'backoff'; retryAfterMs?: number | null; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.retry = options.retry ?? 'never'
    this.retryAfterMs = options.retryAfterMs ?? null
  }
}

/** Whether the world failed (a database that is away), which passes, and not the code. */
export function isOutage(error: unknown): boolean {
  return error instanceof AppError
}

/** Whatever was thrown, as text for a log line or a person. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
