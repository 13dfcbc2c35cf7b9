/** The states of things, as literal unions. The database holds the same words as enums (prisma/schema.prisma). */
export type SessionStatus = 'IDLE' | 'RUNNING' | 'AWAITING_APPROVAL' | 'INACTIVE'
/**
 * DIRECT: one person talks with the agent. GROUP: several people talk with each other, and sometimes with the agent.
 */
export type ConversationType = 'DIRECT' | 'GROUP'
/** Who wrote a session's description. A client's own one is never overwritten by the introspector. */
export type DescriptionSource = 'CLIENT' | 'INTROSPECTION'
/**
 * What becomes of a message that arrives while a turn runs. QUEUE: it waits for a turn of its own. COLLECT: all that
 * wait of one person get one turn. STEER: the running turn of its user takes it along. INTERRUPT: the running turn of
 * its user is cancelled.
 */
export type BusyPolicy = 'QUEUE' | 'COLLECT' | 'STEER' | 'INTERRUPT'
/**
 * How a session's turns work. PLAN: the planner makes a plan of tasks, which are run and reviewed. CHAT: a model
 * answers, and calls tools until it needs none.
 */
export type SessionMode = 'PLAN' | 'CHAT'
export type MessageRole = 'USER' | 'ASSISTANT' | 'SYSTEM'
export type MessageStatus = 'QUEUED' | 'PROCESSING' | 'DONE' | 'FAILED' | 'CANCELLED' | 'STORED'
/** JOINED: another turn of its user has taken its message along; it ends with that one, or waits again. */
export type TurnStatus = 'QUEUED' | 'JOINED' | 'RUNNING' | 'AWAITING_APPROVAL' | 'DONE' | 'FAILED' | 'CANCELLED'
/** How a turn can end. */
export type FinalTurnStatus = 'DONE' | 'FAILED' | 'CANCELLED'
export type PipelineStep =
  | 'RECEIVED'
  | 'PARAPHRASE'
  | 'CONTEXT'
  | 'PLANNING'
  | 'PLANNED'
  | 'VALIDATION'
  | 'ANSWERING'
  | 'COMMANDS'
  | 'EXECUTING'
  | 'REVIEWING'
  | 'REPLANNING'
  | 'DELIVERING'
  | 'CURATING'
  | 'SUMMARIZING'
  | 'CONSOLIDATING'
  | 'COMPLETE'
export type TaskType = 'EXEC' | 'MSG' | 'SKILL' | 'TOOL'
/**
 * PENDING → RUNNING → DONE | FAILED, or SKIPPED (replanned away), CANCELLED, or INTERRUPTED: the process died while a
 * side effect was under way; its outcome is unknown, it is reviewed and never silently run again. AWAITING_APPROVAL
 * comes between PENDING and either PENDING again (approved) or FAILED (denied).
 */
export type TaskStatus =
  'PENDING' | 'AWAITING_APPROVAL' | 'RUNNING' | 'DONE' | 'FAILED' | 'SKIPPED' | 'CANCELLED' | 'INTERRUPTED'
export type ReviewVerdict = 'OK' | 'REPLAN'
/** REFUSED: it was never judged, as it repeats what is known, or by its form. An admin may reopen it. */
export type LearningStatus = 'PENDING' | 'PROMOTED' | 'ASKED' | 'DISCARDED' | 'REFUSED' | 'ANSWERED'
/**
 * TEACHER: what the one who taught it says waits for a person in any case. Suspicion: what its form looks like
 * (knowledge/suspicions/find-suspicions.ts). REJECTED: a person has taken a fact that says the same out of use, or
 * corrected it. RECALLED: it contains a fact that stood in the prompt. REOPENED: an admin took the decision about it
 * back. UNUSABLE: the curator's text could not be kept.
 */
export type LearningFlag = 'TEACHER' | Suspicion | 'REJECTED' | 'RECALLED' | 'REOPENED' | 'UNUSABLE' | 'REPLACES'
/** An order, a secret, a passing remark, a sentence about the agent, a change of rights, a private matter. */
export type Suspicion = 'ORDER' | 'SECRET' | 'REMARK' | 'AGENT' | 'RIGHTS' | 'PRIVATE'
/** Who learned: the reviewer of a task, the assistant of a conversation, or the introspector. */
export type LearningSource = 'REVIEW' | 'CHAT' | 'CHECKPOINT' | 'ANSWER'
/** Who made a fact: the curator from a learning, the summarizer by consolidation, or an admin. */
export type FactSource = 'CURATOR' | 'SUMMARIZER' | 'MANUAL'
export type FactChange =
  | 'CREATED'
  | 'EDITED'
  | 'MERGED'
  | 'INVALIDATED'
  | 'RESTORED'
  | 'CONSOLIDATED'
  | 'REPLACED'
  | 'REVERTED'
  | 'UNDONE'
  | 'SCOPED'
/** Whom a fact is shown (core/knowledge/fact-scope.ts). */
export type FactScope = 'GLOBAL' | 'PROJECT' | 'USER' | 'SESSION'
/** DISPUTE: a user says that a fact is wrong; it is put to admins, and to no one else. */
export type QuestionSource = 'CURATOR' | 'ADMIN' | 'DISPUTE'
export type QuestionStatus = 'OPEN' | 'RESOLVED'
/** DEAD: given up after the last attempt; an admin can have it delivered again. */
export type DeliveryStatus = 'PENDING' | 'DELIVERED' | 'DEAD'

/** Of tasks that have not ended. */
export const OPEN_TASK_STATUSES: ReadonlySet<TaskStatus> = new Set(['PENDING', 'AWAITING_APPROVAL', 'RUNNING'])

/** TASK: one task. PLAN: a whole plan; the row names its first task with an effect. */
export type ApprovalKind = 'TASK' | 'PLAN'
/** EXPIRED: not decided in time, which counts as denied. CANCELLED: its turn no longer waits for it. */
export type ApprovalStatus = 'PENDING' | 'APPROVED' | 'DENIED' | 'EXPIRED' | 'CANCELLED'
/** SESSION: the same is not asked again in the session for the same user. */
export type ApprovalScope = 'ONCE' | 'SESSION'

export type DelegationStatus = 'PENDING' | 'RUNNING' | 'DONE' | 'FAILED' | 'CANCELLED'

/** DEDICATED: all runs of a schedule in one session. FRESH: each in a session of its own. */
export type ScheduleMode = 'DEDICATED' | 'FRESH'
/** SKIPPED: it was due while the run before it had not ended, was a try no longer needed, or could not be begun. */
export type ScheduleRunStatus = 'RUNNING' | 'DONE' | 'FAILED' | 'SKIPPED'

/**
 * Why a checkpoint is made. MANUAL: a client requested it. NEW_SESSION: a client started a fresh session from this one.
 * TURN_LIMIT: so many turns have ended since the last one. IDLE: nothing happened for a while.
 */
export type CheckpointReason = 'MANUAL' | 'NEW_SESSION' | 'TURN_LIMIT' | 'IDLE'

/**
 * DISABLED: no admin has enabled it. STARTING: it is loaded, or waits for its next start. DEGRADED: five failures in 15
 * minutes. FAILED: it cannot be loaded, or its settings are refused. MISSING: its folder or package is gone.
 */
export type PluginStatus = 'STARTING' | 'READY' | 'DEGRADED' | 'FAILED' | 'DISABLED' | 'MISSING'

/** Where a plugin comes from: with Factotum, a folder in the home, or a package that config.toml names. */
export type PluginOrigin = 'BUILT_IN' | 'FOLDER' | 'PACKAGE'
