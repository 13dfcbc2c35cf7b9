/**
 * The events of a session's log: one union, which the log stores, the feed carries and the door shows. `data` in the
 * events table is the body without `type`. How to add one: CONTRIBUTING.md.
 *
 * A turn's events, in order:
 *   MessageReceived, MessageUpdated               the latter when it begins later than it came
 *   PipelineStep RECEIVED, COMMANDS (with PlanCreated, TextCompleted of the plugin's text), PARAPHRASE (only when due),
 *     CONTEXT
 *   PipelineStep PLANNING, PLANNED, VALIDATION      again for each retry
 *   PlanCreated
 *   PipelineStep EXECUTING
 *   Approval*, TaskUpdate AWAITING_APPROVAL*, TurnPaused
 *                                                   when the plan needs approvals; then Approval for each decision,
 *                                                   and EXECUTING again
 *   per task of type EXEC or SKILL:
 *     TaskUpdate RUNNING, TaskOutput*, TaskUpdate DONE|FAILED, PipelineStep REVIEWING, Review
 *   per task of type MSG:
 *     TaskUpdate RUNNING, TextDelta*, TextCompleted, TaskUpdate DONE
 *   per task of type TOOL, as EXEC, with TaskProgress* in place of TaskOutput
 *     of delegation__delegate: TaskUpdate RUNNING, Delegation*, TurnPaused, EXECUTING again, Delegation
 * In a conversation (mode CHAT), instead of the plan, for each answer of the model:
 *   PipelineStep ANSWERING, Thinking*, PlanCreated (once)
 *   TextDelta*, TextCompleted                       of its text, a MSG task
 *   TaskUpdate PENDING for each call, EXECUTING, then the calls as tasks above, without a review
 *   PipelineStep REPLANNING, back to CONTEXT        on verdict REPLAN, or when its user said more
 *   PipelineStep DELIVERING
 *   PipelineStep CURATING, SUMMARIZING, CONSOLIDATING
 *                                                   each only when due
 *   PipelineStep COMPLETE, TurnCompleted            always the last two, also after failure and cancel
 *
 * Outside of turns: SessionUpdated, FileReceived, Checkpoint, Plugin.
 *
 * Of a turn that another one has taken along: MessageReceived, MessageUpdated, then COMPLETE and TurnCompleted with
 * that one's end, or MessageUpdated when it waits again.
 */
import type { CheckpointReason, PipelineStep, ReviewVerdict, TaskStatus, TurnStatus } from './status.ts'
import type { Usage } from './usage.ts'

export type OutputStream = 'STDOUT' | 'STDERR'

export type SessionEventBody =
  | { readonly type: 'MessageReceived'; readonly messageId: string }
  /**
   * A queued message was edited, withdrawn or taken along by another turn, its turn begins, it waits again, or a secret
   * was taken out of it.
   */
  | { readonly type: 'MessageUpdated'; readonly messageId: string }
  /**
   * Description, metadata, participants, questions or status changed outside a turn. `erased`: texts and names were
   * taken out of the session and of the events before this one, so a reader must drop what it has cached of them.
   */
  | { readonly type: 'SessionUpdated'; readonly erased?: true }
  /** A file was put into the session, or one of this name replaced. */
  | { readonly type: 'FileReceived'; readonly fileId: string }
  /** A plugin has recorded something of its own. `json`: a JSON text, of at most 16 KiB. */
  | { readonly type: 'Plugin'; readonly plugin: string; readonly name: string; readonly json: string }
  | { readonly type: 'PipelineStep'; readonly step: PipelineStep; readonly detail: string | null }
  | { readonly type: 'PlanCreated'; readonly planId: string }
  | { readonly type: 'TaskUpdate'; readonly taskId: string; readonly status: TaskStatus }
  | { readonly type: 'TaskOutput'; readonly taskId: string; readonly stream: OutputStream; readonly text: string }
  /** The next piece of a text being written, deleted from the log once the whole text is there. */
  | { readonly type: 'TextDelta'; readonly taskId: string; readonly delta: string }
  /**
   * What a model shows of its reasoning: a piece of it (`delta`), deleted from the log once the whole (`content`) is
   * there.
   */
  | {
      readonly type: 'Thinking'
      readonly thinkingId: string
      readonly delta: string | null
      readonly content: string | null
    }
  /** How far a call of a tool is, in a unit of the tool's own; `total` null: not known. Coalesced. */
  | {
      readonly type: 'TaskProgress'
      readonly taskId: string
      readonly done: number
      readonly total: number | null
      readonly message: string | null
    }
  /** The whole text. `attempt`: how often it was begun. `notice`: it is the server's, not the agent's. */
  | {
      readonly type: 'TextCompleted'
      readonly taskId: string
      readonly content: string
      readonly final: boolean
      readonly attempt: number
      readonly notice?: true
    }
  | {
      readonly type: 'Review'
      readonly taskId: string
      readonly verdict: ReviewVerdict
      readonly reason: string | null
      /** What was learned from it. Absent in events of before there were learnings. */
      readonly learningId?: string | null
    }
  /** An approval is asked for, or was settled. */
  | { readonly type: 'Approval'; readonly approvalId: string }
  /** A task is given to a child session, goes another round there, or was ended. */
  | { readonly type: 'Delegation'; readonly delegationId: string }
  /** The turn waits without a worker; it goes on no sooner than `until`, or when what it waits for has come. */
  | { readonly type: 'TurnPaused'; readonly reason: string; readonly until: string | null }
  /**
   * What was said since the last checkpoint was gone over, or could not be: then it is tried again. `failure` is for
   * people.
   */
  | {
      readonly type: 'Checkpoint'
      readonly reason: CheckpointReason
      readonly ok: boolean
      readonly failure: string | null
    }
  | {
      readonly type: 'TurnCompleted'
      readonly status: TurnStatus
      readonly commandsHandled: readonly string[]
      readonly durationMs: number
      readonly usage: Usage
      readonly failure: string | null
    }

export type SessionEventType = SessionEventBody['type']

const KNOWN_TYPES: Readonly<Record<SessionEventType, true>> = {
  MessageReceived: true,
  MessageUpdated: true,
  SessionUpdated: true,
  Plugin: true,
  FileReceived: true,
  PipelineStep: true,
  PlanCreated: true,
  TaskUpdate: true,
  TaskOutput: true,
  TextDelta: true,
  TextCompleted: true,
  Thinking: true,
  TaskProgress: true,
  Review: true,
  Approval: true,
  Delegation: true,
  TurnPaused: true,
  Checkpoint: true,
  TurnCompleted: true,
}

/** All of them. */
export const SESSION_EVENT_TYPES = Object.keys(KNOWN_TYPES) as readonly SessionEventType[]

/** Whether this version knows events of this type; a newer process may have written others. */
export function isKnownEventType(type: string): type is SessionEventType {
  return Object.hasOwn(KNOWN_TYPES, type)
}

/** An event as the log holds it. `seq` is strictly increasing per session; order of seq = order of commit. */
export type SessionEvent = SessionEventBody & {
  readonly seq: number
  readonly at: Date
  readonly sessionId: string
  readonly turnId: string | null
}

/** An event not yet appended: the log gives it its `seq`. */
export interface NewEvent {
  readonly at: Date
  readonly turnId: string | null
  readonly body: SessionEventBody
}
