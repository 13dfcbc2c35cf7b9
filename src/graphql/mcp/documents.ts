/** What the tools of `POST /mcp` ask this server's own GraphQL: they see and may do what its rules say, and no more. */

import type { Operation } from '../protocols/operations.ts'
import { REFUSAL, type RefusalData } from '../protocols/refused.ts'
import { REFUSED, RUNS_FIELDS, type Asking } from '../protocols/turn-documents.ts'

const WHAT_WAITS = `id kind reason task { ${RUNS_FIELDS} }`

export interface SentData {
  readonly id: string
  readonly status: string
  readonly turn: { readonly id: string; readonly firstSeq: number } | null
}

export const SEND_MESSAGE: Operation<
  { readonly input: Readonly<Record<string, unknown>> },
  { readonly result: RefusalData & { readonly message?: SentData } }
> = {
  text: `mutation McpSendMessage($input: SendMessageInput!) {
  result: sendMessage(input: $input) {
    ... on SendMessagePayload { message { id status turn { id firstSeq } } }
    ...Refusal
  }
}
${REFUSAL}`,
}

export const DECIDE_APPROVAL: Operation<
  { readonly input: Readonly<Record<string, unknown>> },
  { readonly result: RefusalData & { readonly approval?: object } }
> = {
  text: `mutation McpDecideApproval($input: DecideApprovalInput!) {
  result: decideApproval(input: $input) {
    ... on DecideApprovalPayload { approval { id status note scope decidedBy { name } } }
    ...Refusal
  }
}
${REFUSAL}`,
}

export interface TurnData {
  readonly id: string
  readonly status: string
  readonly step: string | null
  readonly failure: string | null
  readonly answer: { readonly content: string } | null
  readonly session: Asking & {
    readonly activeTurn: { readonly status: string; readonly pausedReason: string | null } | null
  }
}

export const TURN_OF_MESSAGE: Operation<
  { readonly id: string },
  { readonly message: { readonly turn: TurnData | null } | null }
> = {
  text: `query McpTurn($id: ID!) {
  message(id: $id) {
    turn {
      id status step failure
      answer { content }
      session { activeTurn { status pausedReason } approvals(status: [PENDING], delegated: true) { ${WHAT_WAITS} } ${REFUSED} }
    }
  }
}`,
}

export interface EventData {
  readonly __typename: string
  readonly step?: string
  readonly detail?: string | null
  readonly taskStatus?: string
  readonly task?: { readonly index: number; readonly type: string }
  readonly pausedReason?: string
}

export const EVENTS: Operation<
  { readonly sessionId: string; readonly after: number },
  { readonly sessionEvents: EventData }
> = {
  text: `subscription McpEvents($sessionId: ID!, $after: Int!) {
  sessionEvents(sessionId: $sessionId, after: $after, types: [PIPELINE_STEP, TASK_UPDATE, TURN_PAUSED, TURN_COMPLETED]) {
    __typename
    ... on PipelineStepEvent { step detail }
    ... on TaskUpdateEvent { taskStatus task { index type } }
    ... on TurnPausedEvent { pausedReason }
  }
}`,
}

export const READ_SESSION: Operation<
  { readonly id: string; readonly last: number },
  { readonly session: object | null }
> = {
  text: `query McpSession($id: ID!, $last: Int!) {
  session(id: $id) {
    id description status queueLength
    activeTurn { id status step pausedReason }
    approvals(status: [PENDING], delegated: true) { expiresAt ${WHAT_WAITS} }
    conversation(last: $last) {
      edges {
        node {
          ... on PersonMessage { at content author { role name trusted } }
          ... on AgentText { at content author { role name trusted } }
          ... on Notice { at content author { role name trusted } }
        }
      }
      pageInfo { hasPreviousPage }
    }
  }
}`,
}

export const LIST_SESSIONS: Operation<
  { readonly first: number; readonly after: string | null; readonly search: string | null },
  { readonly sessions: object }
> = {
  text: `query McpSessions($first: Int!, $after: String, $search: String) {
  sessions(first: $first, after: $after, filter: { search: $search }) {
    edges { node { id description status queueLength lastMessagePreview lastActivityAt } }
    pageInfo { hasNextPage endCursor }
  }
}`,
}

export const SEARCH_FACTS: Operation<
  { readonly search: string; readonly first: number },
  { readonly facts: object | null }
> = {
  text: `query McpFacts($search: String!, $first: Int!) {
  facts(first: $first, filter: { search: $search }) {
    edges { node { id content source updatedAt disputedAt } }
    pageInfo { hasNextPage }
  }
}`,
}
