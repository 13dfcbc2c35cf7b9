/** What pages by different clients have in common, in Node as in a browser. */
import type { Client } from 'graphql-ws'
import {
  ChatDecideDocument,
  ChatEarlierDocument,
  ChatEditFactDocument,
  ChatFactDocument,
  ChatStopDocument,
  type ChatEventsSubscription,
  type ChatFactQuery,
  type ChatQuery,
  type SayMutation,
  type SendMessageInput,
  type TypedDocumentString,
} from '../../generated/graphql.ts'
import type { Place } from '../live-socket.ts'

/** What a page does besides, by name. */
export const OPERATIONS = {
  ChatDecide: ChatDecideDocument,
  ChatEarlier: ChatEarlierDocument,
  ChatEditFact: ChatEditFactDocument,
  ChatFact: ChatFactDocument,
  ChatStop: ChatStopDocument,
} as const

export type OperationName = keyof typeof OPERATIONS
export type ResultOf<Name extends OperationName> =
  (typeof OPERATIONS)[Name] extends TypedDocumentString<infer Data, infer _Variables> ? Data : never

export type ShownFact = ChatFactQuery['node'] | undefined

export type ChatEvent = Pick<ChatEventsSubscription['sessionEvents'], '__typename' | 'seq'>
/** Caches may show more than was asked for, such as type names. */
export type Shown<Data> = Data | null | undefined

/** A page by one client. Everything it shows comes out of the client's cache, as a component would be given it. */
export interface Page {
  /** Reads the page of a session once, and shows it from then on. Resolves to its lastSeq. */
  openChat(id: string): Promise<number>
  chat(): Shown<ChatQuery>
  followChat(id: string, after: number, onEvent: (event: ChatEvent) => void): void
  say(input: SendMessageInput): Promise<SayMutation['sendMessage']>
  /** Shows the list of sessions, and reads it whenever its updates say so. */
  openList(): void
  list(): Shown<{ readonly sessions: object }>
  /** Asks, past what the cache has; what is answered gets into the cache. Throws when there is no answer. */
  run<Name extends OperationName>(name: Name, variables: Record<string, unknown>): Promise<ResultOf<Name>>
  /** Reads a fact once, and shows it from then on. */
  openFact(id: string): Promise<void>
  fact(): ShownFact
  close(): void
}

export type OpenPage = (place: Place, socket: Client) => Page | Promise<Page>

/** Of `OPERATIONS`: its text, and whether it changes anything. */
export function operation(name: OperationName): { readonly text: string; readonly isMutation: boolean } {
  const text = String(OPERATIONS[name])
  return { text, isMutation: text.trimStart().startsWith('mutation') }
}

/** Each with a page of its own. */
export const CLIENTS = ['apollo', 'urql', 'relay', 'tanstack'] as const

export interface PageOptions {
  readonly client: (typeof CLIENTS)[number]
  /** Of the server. */
  readonly url: string
  readonly token: string
  /** The session that is shown. */
  readonly id: string
}

/** A page, and what came to it. */
export interface OpenedPage {
  readonly page: Page
  /** The session's lastSeq when it was read. */
  readonly after: number
  readonly events: readonly ChatEvent[]
  /** With which its connections were closed. */
  readonly closeCodes: readonly number[]
}
