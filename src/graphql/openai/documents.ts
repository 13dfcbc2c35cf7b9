/** What OpenAI's API needs of this server's own GraphQL besides what all protocols do. */
import type { Operation } from '../protocols/operations.ts'
import { ASKED_FIELDS, type AskedApproval, type SentMessage } from '../protocols/turn-documents.ts'
import { COMPARED } from './same-conversation.ts'

export const LIST_MODELS: Operation<
  object,
  { readonly server: { readonly models: readonly { readonly provider: string; readonly model: string }[] } }
> = {
  text: 'query OpenAIModels { server { models { provider model } } }',
}

/** The text in a session's metadata by which it is found again. */
export const FIRST_KEY = 'openai_first'

export const FIND_SESSIONS: Operation<
  { readonly first: string },
  { readonly sessions: { readonly edges: readonly { readonly node: { readonly id: string } }[] } }
> = {
  text: `query OpenAISessions($first: String!) {
  sessions(first: 10, filter: { metadata: [{ key: "${FIRST_KEY}", value: $first }], includeInactive: true }) {
    edges { node { id } }
  }
}`,
}

/** A message, a text, or a notice, which has neither. */
export interface EntryData {
  readonly __typename: string
  readonly content?: string
  readonly at?: string
  readonly message?: SentMessage & { readonly createdAt: string; readonly user: string | null }
}

export const READ_CONVERSATION: Operation<
  { readonly id: string },
  {
    readonly session: { readonly conversation: { readonly edges: readonly { readonly node: EntryData }[] } } | null
  }
> = {
  // Texts of a plan, notices and repetitions come on top of a message and its answer.
  text: `query OpenAIConversation($id: ID!) {
  session(id: $id) {
    conversation(last: ${COMPARED * 5}) {
      edges {
        node {
          __typename
          ... on PersonMessage { content at message { id createdAt user turn { id firstSeq } } }
          ... on AgentText { content }
        }
      }
    }
  }
}`,
}

/** A message that was answered. */
export interface AnsweredMessage {
  readonly id: string
  readonly content: string
  readonly createdAt: string
  readonly user: string | null
}

/** What a response is named by. */
export const READ_RESPONSE: Operation<
  { readonly id: string },
  {
    readonly node:
      | {
          readonly __typename: 'Turn'
          readonly firstSeq: number
          readonly session: { readonly id: string }
          readonly message: AnsweredMessage
        }
      | (AnsweredMessage & {
          readonly __typename: 'Message'
          readonly turn: { readonly id: string } | null
          readonly session: { readonly id: string }
        })
      | { readonly __typename: 'Approval'; readonly decidedAt: string | null }
      | null
  }
> = {
  text: `query OpenAIResponse($id: ID!) {
  node(id: $id) {
    __typename
    ... on Turn { firstSeq session { id } message { ...Answered } }
    ... on Message { turn { id } session { id } ...Answered }
    ... on Approval { decidedAt }
  }
}
fragment Answered on Message { id content createdAt user }`,
}

export interface DatedApproval extends AskedApproval {
  /** Null: it waits. */
  readonly decidedAt: string | null
}

/** The newest 100. */
export const READ_ASKED: Operation<
  { readonly id: string },
  { readonly session: { readonly approvals: readonly DatedApproval[] } | null }
> = {
  text: `query OpenAIAsked($id: ID!) {
  session(id: $id) { approvals(delegated: true) { decidedAt ${ASKED_FIELDS} } }
}`,
}
