/** The states of things, as literal unions. The database holds the same words as enums (prisma/schema.prisma). */
export type SessionStatus = 'IDLE' | 'RUNNING' | 'INACTIVE'
export type MessageRole = 'USER' | 'ASSISTANT' | 'SYSTEM'
export type MessageStatus = 'QUEUED' | 'PROCESSING' | 'DONE' | 'FAILED' | 'CANCELLED' | 'STORED'
export type TurnStatus = 'QUEUED' | 'RUNNING' | 'DONE' | 'FAILED' | 'CANCELLED'
/** How a turn can end. */
export type FinalTurnStatus = 'DONE' | 'FAILED' | 'CANCELLED'
export type PipelineStep =
  | 'RECEIVED'
  | 'CONTEXT'
  | 'PLANNING'
  | 'PLANNED'
  | 'VALIDATION'
  | 'EXECUTING'
  | 'REVIEWING'
  | 'REPLANNING'
  | 'DELIVERING'
  | 'COMPLETE'
export type TaskType = 'EXEC' | 'MSG'
/**
 * PENDING → RUNNING → DONE | FAILED, or SKIPPED (replanned away), CANCELLED, or INTERRUPTED: the process died while a side
 * effect was under way; its outcome is unknown, it is reviewed and never silently run again.
 */
export type TaskStatus = 'PENDING' | 'RUNNING' | 'DONE' | 'FAILED' | 'SKIPPED' | 'CANCELLED' | 'INTERRUPTED'
export type ReviewVerdict = 'OK' | 'REPLAN'
