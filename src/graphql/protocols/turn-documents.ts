/** What protocols for pages ask this server's own GraphQL: they see and may do what its rules say, and no more. */
import type { Call } from '../../core/plan/what-runs.ts'
import { MAX_DEPTH } from '../../core/tool/delegated.ts'
import type { Operation } from './operations.ts'
import { REFUSAL, type RefusalData } from './refused.ts'

type Input = { readonly input: Readonly<Record<string, unknown>> }

export interface SessionData {
  readonly id: string
  readonly model: string | null
  readonly instructions: string | null
}

export const READ_SESSION: Operation<{ readonly id: string }, { readonly session: SessionData | null }> = {
  text: 'query ProtocolSession($id: ID!) { session(id: $id) { id model instructions } }',
}

export const OPEN_SESSION: Operation<Input, { readonly result: RefusalData & { readonly session?: SessionData } }> = {
  text: `mutation ProtocolOpen($input: OpenSessionInput!) {
  result: openSession(input: $input) { ... on OpenSessionPayload { session { id model instructions } } ...Refusal }
}
${REFUSAL}`,
}

/** A message, and where to follow its turn from. */
export interface SentMessage {
  readonly id: string
  readonly turn: { readonly id: string; readonly firstSeq: number } | null
}

export const SEND_MESSAGE: Operation<Input, { readonly result: RefusalData & { readonly message?: SentMessage } }> = {
  text: `mutation ProtocolSend($input: SendMessageInput!) {
  result: sendMessage(input: $input) { ... on SendMessagePayload { message { id turn { id firstSeq } } } ...Refusal }
}
${REFUSAL}`,
}

const CALL_FIELDS = 'type detail skill tool args'
/** Of the task of an approval, for who decides: of a whole plan, all that it runs. */
export const RUNS_FIELDS = `${CALL_FIELDS} plan { tasks { ${CALL_FIELDS} } }`
const APPROVAL_FIELDS = `id kind status reason expiresAt viewerCan { decide } task { id ${RUNS_FIELDS} }`

export interface ApprovalData {
  readonly id: string
  readonly kind: 'TASK' | 'PLAN'
  readonly status: string
  readonly reason: string
  readonly expiresAt: string
  /** Not for connectors, which name whom they mean only with the decision. */
  readonly viewerCan: { readonly decide: boolean }
  readonly task: Call & { readonly id: string; readonly plan: { readonly tasks: readonly Call[] } }
}

/** What people must decide about in a session, and in those that work on what it has delegated. */
export interface Asking<Approval = object> {
  readonly approvals: readonly Approval[]
  /** The newest that were denied or not given in time, whatever their turn. */
  readonly refused: readonly { readonly task: { readonly status: string } }[]
}

export interface TurnData {
  readonly id: string
  readonly status: string
  readonly failure: string | null
  /** Why it waits without a worker; null: it does not. */
  readonly pausedReason: string | null
  /** Where in the log it ended; null until it has, and where its events have been removed. */
  readonly lastSeq: number | null
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number; readonly cachedTokens: number }
  readonly joinedInto: { readonly id: string } | null
  readonly message: { readonly id: string }
  readonly session: Asking<ApprovalData> & {
    readonly id: string
    /** The last that was asked, decided, or waited for. */
    readonly asked: { readonly edges: readonly { readonly node: { readonly seq: number } }[] }
  }
}

export const REFUSED = 'refused: approvals(status: [DENIED, EXPIRED]) { task { status } }'

const TURN_FIELDS = `id status failure pausedReason lastSeq
  usage { inputTokens outputTokens cachedTokens }
  joinedInto { id }
  message { id }
  session { id approvals(status: [PENDING], delegated: true) { ${APPROVAL_FIELDS} }
    ${REFUSED}
    asked: events(last: 1, types: [APPROVAL, TURN_PAUSED]) { edges { node { seq } } } }`

export const READ_TURN: Operation<{ readonly id: string }, { readonly turn: TurnData | null }> = {
  text: `query ProtocolTurn($id: ID!) { turn(id: $id) { ${TURN_FIELDS} } }`,
}

/** A turn that waits for a decision, and where to follow it from. */
export interface AskingTurn {
  readonly turn: {
    readonly id: string
    readonly status: string
    readonly finishedAt: string | null
    /** Where in the log it ended; null until it has, and where its events have been removed. */
    readonly lastSeq: number | null
    readonly message: {
      readonly id: string
      readonly content: string
      readonly createdAt: string
      readonly user: string | null
    }
  }
  readonly session: {
    readonly id: string
    readonly lastSeq: number
    /** For what it was opened, and the turn that waits for that; null: no delegated task, or not to be seen. */
    readonly delegation?: (AskingTurn & { readonly status: string; readonly finishedAt: string | null }) | null
  }
}

/** An approval, with its turn. */
export interface AskedApproval extends AskingTurn {
  readonly id: string
  readonly status: string
  readonly createdAt: string
}

/** Down to sessions that no delegated task was opened for: there are two levels. */
function askingFields(levels: number): string {
  const above = levels === 0 ? '' : `delegation { status finishedAt ${askingFields(levels - 1)} }`
  return `turn { id status finishedAt lastSeq message { id content createdAt user } } session { id lastSeq ${above} }`
}

export const ASKED_FIELDS = `id status createdAt ${askingFields(MAX_DEPTH)}`

export const READ_APPROVAL: Operation<{ readonly id: string }, { readonly approval: AskedApproval | null }> = {
  text: `query ProtocolApproval($id: ID!) {
  approval: node(id: $id) { ... on Approval { ${ASKED_FIELDS} } }
}`,
}

/** The last before a place in the log; null: before its end. */
export const APPROVAL_EVENTS: Operation<
  { readonly id: string; readonly before: string | null },
  {
    readonly session: {
      readonly events: {
        readonly edges: readonly {
          readonly node: {
            readonly seq: number
            readonly approval?: { readonly id: string }
            readonly pausedReason?: string
          }
        }[]
      }
    } | null
  }
> = {
  text: `query ProtocolApprovalEvents($id: ID!, $before: String) {
  session(id: $id) {
    events(last: 50, before: $before, types: [APPROVAL, TURN_PAUSED]) {
      edges { node { seq ... on ApprovalEvent { approval { id } } ... on TurnPausedEvent { pausedReason } } }
    }
  }
}`,
}

export const DECIDE_APPROVAL: Operation<
  Input,
  { readonly result: RefusalData & { readonly approval?: { readonly id: string } } }
> = {
  text: `mutation ProtocolDecide($input: DecideApprovalInput!) {
  result: decideApproval(input: $input) { ... on DecideApprovalPayload { approval { id } } ...Refusal }
}
${REFUSAL}`,
}

export const CANCEL_TURN: Operation<Input, { readonly result: RefusalData }> = {
  text: `mutation ProtocolCancel($input: CancelTurnInput!) {
  result: cancelTurn(input: $input) { ...Refusal }
}
${REFUSAL}`,
}

export const WITHDRAW_MESSAGE: Operation<Input, { readonly result: RefusalData }> = {
  text: `mutation ProtocolWithdraw($input: WithdrawMessageInput!) {
  result: withdrawMessage(input: $input) { ...Refusal }
}
${REFUSAL}`,
}

export interface TaskData {
  readonly id: string
  readonly index: number
  readonly type: 'EXEC' | 'MSG' | 'SKILL' | 'TOOL'
  readonly detail: string
  readonly tool: string | null
  readonly skill: string | null
  readonly args: unknown
  readonly status: string
  readonly output: string | null
  readonly stderr: string | null
}

/** An event of a session's log: fields of its type, as GraphQL names them. */
export type TurnEvent = { readonly seq: number; readonly turnId: string | null } & (
  | { readonly __typename: 'PipelineStepEvent'; readonly step: string; readonly detail: string | null }
  | {
      readonly __typename: 'PlanCreatedEvent'
      readonly plan: {
        readonly attempt: number
        readonly goal: string
        readonly replanReason: string | null
        readonly tasks: readonly Pick<TaskData, 'id' | 'type' | 'detail' | 'tool' | 'skill'>[]
      }
    }
  | { readonly __typename: 'TaskUpdateEvent'; readonly taskStatus: string; readonly task: TaskData }
  | { readonly __typename: 'TaskOutputEvent'; readonly taskId: string; readonly stream: string; readonly text: string }
  | { readonly __typename: 'TextDeltaEvent'; readonly taskId: string; readonly delta: string }
  | { readonly __typename: 'TextCompletedEvent'; readonly taskId: string; readonly content: string }
  | {
      readonly __typename: 'ThinkingEvent'
      readonly thinkingId: string
      readonly delta: string
      readonly content: string
      readonly isWhole: boolean
    }
  | {
      readonly __typename: 'MessageUpdatedEvent'
      readonly message: {
        readonly id: string
        readonly turn: { readonly joinedInto: { readonly id: string } | null } | null
      }
    }
  | { readonly __typename: 'ApprovalEvent' }
  | { readonly __typename: 'TurnPausedEvent'; readonly pausedReason: string }
  | { readonly __typename: 'TurnCompletedEvent'; readonly turnStatus: string; readonly failure: string | null }
)

/** What a task has printed last is enough for a page; all of it is `Task.output`. */
const OUTPUT_BYTES = 32 * 1024

export const TURN_EVENTS: Operation<
  { readonly sessionId: string; readonly after: number },
  { readonly sessionEvents: TurnEvent }
> = {
  text: `subscription ProtocolEvents($sessionId: ID!, $after: Int!) {
  sessionEvents(sessionId: $sessionId, after: $after, types: [
    PIPELINE_STEP, PLAN_CREATED, TASK_UPDATE, TASK_OUTPUT, TEXT_DELTA, TEXT_COMPLETED, THINKING, MESSAGE_UPDATED,
    APPROVAL, TURN_PAUSED, TURN_COMPLETED
  ]) {
    __typename seq turnId
    ... on PipelineStepEvent { step detail }
    ... on PlanCreatedEvent { plan { attempt goal replanReason tasks { id type detail tool skill } } }
    ... on TaskUpdateEvent {
      taskStatus
      task {
        id index type detail tool skill args status output(last: ${OUTPUT_BYTES}) stderr(last: ${OUTPUT_BYTES})
      }
    }
    ... on TaskOutputEvent { taskId stream text }
    ... on TextDeltaEvent { taskId delta }
    ... on TextCompletedEvent { taskId content }
    ... on ThinkingEvent { thinkingId delta content isWhole }
    ... on MessageUpdatedEvent { message { id turn { joinedInto { id } } } }
    ... on TurnPausedEvent { pausedReason }
    ... on TurnCompletedEvent { turnStatus failure }
  }
}`,
}
