/**
 * What a turn writes, as data: events together with the changes they tell of. `merge` folds writes that are recorded
 * one after another into one, so that a turn costs a handful of commits instead of one per step.
 */
import { newId } from '../platform/id.ts'
import type { NewAuditEntry } from './audit-entry.ts'
import type { PluginWork } from './tool/plugin-work.ts'
import type { ModelCallRecord, ModelCallTexts } from './model-call.ts'
import type { NewEvent } from './session-event.ts'
import type { JsonObject } from './tool/json.ts'
import type {
  ApprovalKind,
  DelegationStatus,
  FactScope,
  FinalTurnStatus,
  LearningFlag,
  LearningSource,
  PipelineStep,
  ReviewVerdict,
  SessionMode,
  TaskStatus,
  TaskType,
} from './status.ts'

export interface NewPlan {
  readonly id: string
  readonly attempt: number
  readonly goal: string
  readonly replanReason: string | null
  /** The rights of the turn's user, in words; absent: not known, as nothing is to be executed. */
  readonly rights?: string
  readonly secretNames: readonly string[]
  readonly createdAt: Date
}

export interface NewTask {
  readonly id: string
  readonly planId: string
  readonly index: number
  readonly type: TaskType
  readonly detail: string
  readonly skill: string | null
  /** Absent, as the two below: null. */
  readonly tool?: string | null
  readonly args: JsonObject | null
  readonly expect: string | null
  /** Of a conversation: the model's answer that asked for it, from 1; null in a plan. */
  readonly round?: number | null
  /** What the model calls it; null for texts, and in a plan. */
  readonly callId?: string | null
  readonly patch: TaskPatch
}

/** The columns of a task that a turn may change; absent = unchanged. */
export interface TaskPatch {
  readonly status?: TaskStatus
  readonly output?: string
  readonly stderr?: string
  readonly truncated?: boolean
  readonly exitCode?: number
  readonly final?: boolean
  /** A text that the agent left unsaid. */
  readonly suppressed?: boolean
  readonly reviewVerdict?: ReviewVerdict
  readonly reviewReason?: string | null
  readonly startedAt?: Date
  readonly finishedAt?: Date
}

/** A candidate fact. `norm`: its text as repetitions are recognised by (core/text/normal-text.ts). */
export interface NewLearning {
  readonly id: string
  readonly taskId: string
  readonly content: string
  readonly norm: string
  readonly createdAt: Date
  readonly entry: LearningEntry
}

/** How a learning enters the inbox. */
export interface LearningEntry {
  readonly source: LearningSource
  readonly status: 'PENDING' | 'REFUSED'
  /** Waits for a person; no curator is asked. */
  readonly held: boolean
  readonly flags: readonly LearningFlag[]
  /** With REFUSED, and with `held`. */
  readonly reason: string | null
  readonly repeatsFactId: string | null
  readonly repeatsLearningId: string | null
  /** Facts that are alike, best first. */
  readonly similarFactIds: readonly string[]
  /** Of the fact that it may become. */
  readonly scope: FactScope
  readonly scopeOf: string
}

/**
 * What the curator decided about a pending learning, or the planner about an answer that the same write stores. A
 * learning that was decided meanwhile keeps that decision.
 */
export interface Curation {
  readonly learningId: string
  /** In whose name. */
  readonly by: 'curator' | 'planner'
  /** The evaluation could not be used: PENDING, for a person after the third time. */
  readonly isRetry: boolean
  /** PENDING: a person has to decide (`flags`). REFUSED: it repeats `repeatsFactId`, or another learning. */
  readonly status: 'PROMOTED' | 'ASKED' | 'DISCARDED' | 'REFUSED' | 'PENDING'
  readonly flags: readonly LearningFlag[]
  readonly repeatsFactId: string | null
  readonly repeatsLearningId: string | null
  /** With ASKED: of the question that asks it already. */
  readonly questionId: string | null
  readonly reason: string | null
  readonly at: Date
  /**
   * PROMOTED: the fact, in this version, in whose place the new one comes; when it is another by then, the learning
   * stays pending. PENDING: the fact that it would replace.
   */
  readonly replaces: { readonly factId: string; readonly version: number } | null
  /** What is done to facts is one change. */
  readonly changeId: string
  /** With PROMOTED. */
  readonly fact: { readonly id: string; readonly content: string; readonly norm: string } | null
  /** With ASKED. */
  readonly question: {
    readonly id: string
    readonly content: string
    readonly norm: string
    /** That it is about. */
    readonly factIds: readonly string[]
  } | null
}

/** One to a question of all sessions counts by admins, and in a session where the question was put before. */
export interface NewAnswer {
  readonly questionId: string
  readonly answer: string
  readonly byAdmin: boolean
  /** Those that became the question, and are settled with it. */
  readonly learningIds: readonly string[]
  /** What is learned from it; null: nothing. */
  readonly learning: Pick<NewLearning, 'id' | 'content' | 'norm' | 'entry'> | null
  /** What is settled by it, facts too, is one change. */
  readonly changeId: string
  readonly at: Date
}

/** An agent's text to be posted; stored only when the session has a webhook. */
export interface NewDelivery {
  readonly id: string
  readonly taskId: string
  readonly final: boolean
  readonly createdAt: Date
}

export interface NewPublishedFile {
  readonly id: string
  readonly taskId: string
  readonly name: string
  /** Bytes. */
  readonly size: number
  readonly contentType: string
  /** Whose turn has published it. */
  readonly userName: string
  readonly createdAt: Date
  readonly expiresAt: Date | null
}

/**
 * What was said up to the message with seq `toSeq`, in short. Nothing is written when the summary no longer reaches to
 * `fromSeq`.
 */
export interface NewSummary {
  readonly text: string
  readonly fromSeq: number
  readonly toSeq: number
}

/** A change of a stored message: its paraphrase, or its content after a secret was found in it. */
export interface MessageText {
  readonly id: string
  readonly paraphrase?: string
  readonly content?: string
}

export interface NewApproval {
  readonly id: string
  readonly taskId: string
  readonly kind: ApprovalKind
  /** Of a call of a tool: what it covers. */
  readonly fingerprint: string | null
  /** Why it is asked for, for people. */
  readonly reason: string
  readonly createdAt: Date
  readonly expiresAt: Date
}

/**
 * An approval that needs no decision any more. One that was decided meanwhile keeps that decision. The audit's entry is
 * written with it.
 */
export interface SettledApproval {
  readonly id: string
  readonly status: 'EXPIRED' | 'CANCELLED'
  readonly at: Date
}

/** A task that the turn gives to a session of its own. */
export interface NewDelegation {
  readonly id: string
  readonly taskId: string
  /** That brought the turn's message. */
  readonly tokenName: string
  /** Of the message that the child gets first. */
  readonly messageId: string
  readonly depth: number
  readonly share: number
  readonly tools: readonly string[]
  readonly strangers: boolean
  readonly mode: SessionMode
  readonly task: string
  readonly expect: string
  readonly createdAt: Date
  readonly expiresAt: Date
}

/** What the turn decides about one that has not ended; one that has keeps its end. */
export interface DelegationStep {
  readonly id: string
  /** PENDING: another round begins, with a message of this id. */
  readonly status: Exclude<DelegationStatus, 'RUNNING'>
  readonly round: number
  readonly messageId: string
  readonly feedback: string | null
  readonly failure: string | null
  readonly at: Date
}

/** What becomes of a turn that another one had taken along, now that this has ended. QUEUED: it waits again. */
export interface JoinedEnd {
  readonly turnId: string
  readonly messageId: string
  readonly status: FinalTurnStatus | 'QUEUED'
}

/** The texts of a model call; `id` is that of its entry in the audit. */
export interface NewCallTexts extends ModelCallTexts {
  readonly id: string
  readonly at: Date
}

/**
 * What the provider of a model keeps of a session's conversation, up to one of its answers. It is a cache, as column
 * `sessions.provider_state`: where it is missing or does not fit, the whole conversation is sent again.
 */
export interface ProviderState {
  readonly provider: string
  readonly model: string
  /** Under which the provider keeps it. */
  readonly responseId: string
  /** The turn and the round (from 1) of that answer. */
  readonly turnId: string
  readonly round: number
  /** The answer asked for tools, so nothing but what they say can follow. */
  readonly isOpen: boolean
  /** Whom the model worked for, in which role: what it was shown for one is continued for no other. */
  readonly userName: string
  readonly role: string
  /** Keys of the scopes whose facts it may have been shown. */
  readonly reach: readonly string[]
  /** Of the session, when the turn began: it holds what was removed since. Absent: 0. */
  readonly removals?: number
}

export interface TurnWrite {
  readonly events: readonly NewEvent[]
  readonly step?: PipelineStep
  readonly plans?: readonly NewPlan[]
  readonly tasks?: readonly NewTask[]
  readonly taskPatches?: ReadonlyMap<string, TaskPatch>
  readonly modelCalls?: readonly ModelCallRecord[]
  readonly callTexts?: readonly NewCallTexts[]
  /** Pieces of these texts of tasks, or of these thoughts, leave the log: the whole is in it now. */
  readonly dropDeltasOf?: readonly string[]
  readonly learnings?: readonly NewLearning[]
  readonly curations?: readonly Curation[]
  /** The curator has not judged all that waits for it: a job of the session goes on, soon and without another turn. */
  readonly curationDue?: true
  /** Ids of the facts that the planner, or a conversation, was shown. */
  readonly factsShown?: readonly string[]
  /** Of these, those that an answer said it relied on. */
  readonly factsUsed?: readonly string[]
  /** Questions that are put to the caller; those of all sessions are noted. */
  readonly questionsAsked?: readonly string[]
  /** Open questions that the user's message answered. */
  readonly answers?: readonly NewAnswer[]
  readonly messageTexts?: readonly MessageText[]
  /** The session's preview of its last message becomes `now`, if it still is one of those with these SHA-256 (hex). */
  readonly preview?: { readonly wasSha256: readonly string[]; readonly now: string }
  readonly summary?: NewSummary
  readonly deliveries?: readonly NewDelivery[]
  readonly files?: readonly NewPublishedFile[]
  readonly audit?: readonly NewAuditEntry[]
  /**
   * The turn waits without a worker: the session is given back at once, and the turn goes on from its rows no sooner
   * than `until` (null: not before another transaction makes the session ready). `reason` is for people. With
   * `forApproval` turn and session show it, and the session is ready at once when no approval of it is open any more.
   */
  readonly pause?: {
    readonly reason: string
    readonly at: Date
    readonly until: Date | null
    readonly forApproval?: true
  }
  readonly approvals?: readonly NewApproval[]
  /**
   * All that are open of the session: a turn asks for approvals only when it waits for them, and gives up all or none.
   */
  readonly settledApprovals?: readonly SettledApproval[]
  readonly delegations?: readonly NewDelegation[]
  readonly delegationSteps?: readonly DelegationStep[]
  /**
   * The turn has failed, and the message to the user with the cause is written; what follows (knowledge, then `finish`)
   * does not change that. Durable before it, so that a turn that is continued knows how it had ended.
   */
  readonly failure?: { readonly text: string; readonly detail: string | null }
  /** What plugins have made of the turn by now, in place of what was stored; with `finish`, nothing is kept. */
  readonly pluginWork?: PluginWork
  /** What the provider keeps of the conversation now; null: nothing that may be gone on from. */
  readonly providerState?: ProviderState | null
  /** The process that ran the turn's command died, perhaps of it: counted like a death of the server. */
  readonly hostDied?: true
  /** The turn ends: also settles its message, those that it took along, and the session's counters. */
  readonly finish?: {
    readonly status: FinalTurnStatus
    readonly failure: string | null
    /** What admins alone are told of the failure. */
    readonly failureDetail?: string | null
    readonly at: Date
    readonly joined?: readonly JoinedEnd[]
    readonly commandsHandled?: readonly string[]
    /** The plugins that are to be given the end, whichever process dies. */
    readonly hooksDue?: readonly string[]
    /** Thoughts of models and progress of tools leave the log, but for what an enabled plugin keeps. */
    readonly endsActivity?: true
  }
}

/** `first`, then `second`, as one write. */
export function merge(first: TurnWrite, second: TurnWrite): TurnWrite {
  const tasks = [...(first.tasks ?? NONE), ...(second.tasks ?? NONE)]
  const patches = new Map(first.taskPatches)
  for (const [id, patch] of second.taskPatches ?? []) {
    // A row that this same write inserts cannot be updated by it: the patch goes into the insert.
    const inserted = tasks.findIndex((task) => task.id === id)
    const task = tasks[inserted]
    if (task === undefined) patches.set(id, { ...patches.get(id), ...patch })
    else tasks[inserted] = { ...task, patch: { ...task.patch, ...patch } }
  }
  return {
    ...first,
    ...second, // what is there once, and newer
    ...joinedLists(first, second),
    events: [...withoutPieces(first.events, second.dropDeltasOf), ...second.events],
    tasks,
    taskPatches: patches,
  }
}

/** Of whatever lists both have, so that none can be forgotten here. */
function joinedLists(first: TurnWrite, second: TurnWrite): Partial<TurnWrite> {
  const later: Readonly<Record<string, unknown>> = { ...second }
  const joined = new Map<string, readonly unknown[]>()
  for (const [part, list] of Object.entries<unknown>({ ...first })) {
    const more = later[part]
    if (Array.isArray(list) && Array.isArray(more)) joined.set(part, [...list, ...more])
  }
  return Object.fromEntries(joined)
}

/** What a write removes from the log must not be in the write itself: it removes only what was there before. */
function withoutPieces(events: TurnWrite['events'], taskIds: readonly string[] = NONE): TurnWrite['events'] {
  if (taskIds.length === 0) return events
  return events.filter(({ body }) => {
    if (body.type === 'TextDelta') return !taskIds.includes(body.taskId)
    return body.type !== 'Thinking' || body.content !== null || !taskIds.includes(body.thinkingId)
  })
}

const NONE: readonly never[] = []

/** What is written of model calls: an entry of the audit each, and under its id what was said. */
export interface RecordedCalls {
  readonly entries: readonly NewAuditEntry[]
  /** Of those calls whose texts are kept. */
  readonly texts: readonly NewCallTexts[]
}

/** `by`: where, and in whose name the calls were made. */
export function recordCalls(
  calls: readonly ModelCallRecord[],
  by: Pick<NewAuditEntry, 'sessionId' | 'turnId' | 'actor' | 'tokenName'>,
): RecordedCalls {
  const recorded = calls.map(({ at, texts, ...call }) => {
    const id = newId('audit')
    const entry: NewAuditEntry = { ...by, id, at, body: { kind: 'MODEL_CALL', ...call } }
    return { entry, texts: texts === null ? [] : [{ ...texts, id, at }] }
  })
  return { entries: recorded.map(({ entry }) => entry), texts: recorded.flatMap(({ texts }) => texts) }
}
