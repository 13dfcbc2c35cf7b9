/**
 * One session, as a page, a script or a bot uses it. Made by `client.session(id)`; costs nothing until something is
 * asked.
 */
import { askAgent, type AskResult } from './ask-agent.ts'
import type { Connection, FileBody } from './connection.ts'
import { followEvents, type SessionEvent } from './follow-events.ts'
import {
  CopySessionDocument,
  DecideApprovalDocument,
  EditWaitingDocument,
  FilesOfSessionDocument,
  SendMessageDocument,
  StartSessionDocument,
  StopTurnDocument,
  StoreOlderDocument,
  WithdrawWaitingDocument,
  type CopySessionMutation,
  type DecideApprovalInput,
  type DecideApprovalMutation,
  type EditWaitingMutation,
  type FilesOfSessionQuery,
  type ForkSessionInput,
  type OpenSessionInput,
  type StartSessionMutation,
  type StopTurnMutation,
  type StoreEntryFragment,
  type WithdrawWaitingMutation,
  type SendMessageInput,
  type SendMessageMutation,
} from './generated/graphql.ts'
import { newKey } from './new-key.ts'
import { readView, type SessionView } from './read-view.ts'
import { sendFile, type Uploaded, type UploadRefused } from './send-file.ts'
import { watchView } from './watch-view.ts'

/**
 * `__typename` says whether it was accepted (SendMessagePayload) or why not: a refusal has a `code` and a `problem`.
 */
export type SendResult = SendMessageMutation['sendMessage']

/**
 * `__typename` says whether it was decided (DecideApprovalPayload) or why not, such as that another decision came
 * first.
 */
export type DecideResult = DecideApprovalMutation['decideApproval']

/** `user`: for tokens of connectors, whom the message is from. `idempotencyKey`: made up when left out. */
export interface SendOptions extends Omit<SendMessageInput, 'sessionId' | 'content'> {
  readonly signal?: AbortSignal
}

/** `user`: for tokens of connectors, whom the file is from. */
export interface UploadOptions {
  readonly user?: string
  readonly signal?: AbortSignal
}

/** `user`: for tokens of connectors, the identity of the user who asks for it, and whose rights hold. */
export interface ActOptions {
  readonly user?: string
}

/** `__typename` says whether it is open (OpenSessionPayload; `created`: it was opened by this call) or why not. */
export type OpenResult = StartSessionMutation['openSession']
/** `__typename` says whether the end was requested (CancelTurnPayload) or why not, such as that no turn runs. */
export type CancelResult = StopTurnMutation['cancelTurn']
/** `__typename` says whether it was taken back (WithdrawMessagePayload) or why not, such as that its turn has begun. */
export type WithdrawResult = WithdrawWaitingMutation['withdrawMessage']
/** `__typename` says whether it was changed (EditQueuedMessagePayload) or why not, such as that its turn has begun. */
export type EditResult = EditWaitingMutation['editQueuedMessage']
/** `__typename` says whether the copy was made (ForkSessionPayload) or why not. */
export type ForkResult = CopySessionMutation['forkSession']
/** A file of the session; `url` is where a published one is read, null for an upload; `size` is in bytes. */
export type SessionFile = NonNullable<FilesOfSessionQuery['session']>['files']['edges'][number]['node']

/** A page of what was said. `before`: hand it to `history` for the page before; null: there is none. */
export interface HistoryPage {
  readonly entries: readonly StoreEntryFragment[]
  readonly before: string | null
}

/** Where in the log to begin, and when to end. */
export interface EventsOptions {
  /** Only events with a greater seq; 0 is the whole log. Left out: live only, beginning with a SessionSnapshot. */
  readonly after?: number
  /** Ends the loop when it is aborted. */
  readonly signal?: AbortSignal
}

/**
 * `scope`, `note`, and what to approve instead of what was asked for. `user`: for tokens of connectors, who decides.
 */
export type ApproveOptions = Omit<DecideApprovalInput, 'id' | 'approve'>

/** `note`: the reason, which the planner is given. `user`: for tokens of connectors, who decides. */
export type DenyOptions = Pick<DecideApprovalInput, 'note' | 'user'>

/**
 * Loops over events and views end when the client is closed; calls then reject. A hundred loops share one
 * WebSocket; more get further ones.
 */
export class SessionClient {
  readonly id: string
  readonly #connection: Connection

  constructor(connection: Connection, id: string) {
    this.#connection = connection
    this.id = id
  }

  /**
   * Sends a message; opens the session if there is none. Tries again when the answer is lost, without sending it twice.
   * When the order of two messages matters, wait for the first.
   */
  async send(content: string, { signal, ...options }: SendOptions = {}): Promise<SendResult> {
    const input = this.#messageOf(content, options)
    return (await this.#connection.requestPatiently(SendMessageDocument, { input }, signal)).sendMessage
  }

  /** Opens it, or takes it up again; `created` says which. The same as sending, where nothing is to be set. */
  async open(options: Omit<OpenSessionInput, 'id'> = {}): Promise<OpenResult> {
    const input = { id: this.id, ...options }
    return (await this.#connection.requestPatiently(StartSessionDocument, { input })).openSession
  }

  /**
   * Sends a message and waits for what its turn comes to: resolves with the answer, or with why it was refused. When
   * the signal is aborted it rejects with its reason, and the turn goes on; `cancel` ends it.
   */
  ask(content: string, { signal, ...options }: SendOptions = {}): Promise<AskResult> {
    return askAgent(this.#connection, this.#messageOf(content, options), this.#connection.until(signal))
  }

  /** With a key also where one is given as undefined or null: without it, what is tried again would be sent twice. */
  #messageOf(content: string, options: Omit<SendOptions, 'signal'>): SendMessageInput {
    return { sessionId: this.id, content, ...options, idempotencyKey: options.idempotencyKey ?? newKey() }
  }

  /** Ends the turn that runs; refused when none does. */
  async cancel({ user }: ActOptions = {}): Promise<CancelResult> {
    return (await this.#connection.request(StopTurnDocument, { input: { sessionId: this.id, user } })).cancelTurn
  }

  /** Takes back a message that waits. */
  async withdraw(messageId: string, { user }: ActOptions = {}): Promise<WithdrawResult> {
    const input = { id: messageId, user }
    return (await this.#connection.request(WithdrawWaitingDocument, { input })).withdrawMessage
  }

  /** Changes a message that waits. */
  async edit(messageId: string, content: string, { user }: ActOptions = {}): Promise<EditResult> {
    const input = { id: messageId, content, user }
    return (await this.#connection.request(EditWaitingDocument, { input })).editQueuedMessage
  }

  /** Puts a file into the session, and opens it if there is none; one of this name is replaced. */
  upload(name: string, body: FileBody, { signal, user }: UploadOptions = {}): Promise<Uploaded | UploadRefused> {
    const until = this.#connection.until(signal)
    return sendFile(this.#connection, { sessionId: this.id, name, body, user, signal: until })
  }

  /** The newest 100 files of the session: uploaded ones, and those that turns have published. */
  async files(): Promise<readonly SessionFile[]> {
    const { session } = await this.#connection.requestPatiently(FilesOfSessionDocument, { id: this.id, first: 100 })
    return session?.files.edges.map(({ node }) => node) ?? []
  }

  /** What was said: the end of it, or what came before `before`. */
  async history({ last = 30, before = null }: { last?: number; before?: string | null } = {}): Promise<HistoryPage> {
    const variables = { id: this.id, last, before }
    const { session } = await this.#connection.requestPatiently(StoreOlderDocument, variables)
    if (session === null) return { entries: [], before: null }
    const { edges, pageInfo } = session.conversation
    return { entries: edges.map(({ node }) => node), before: pageInfo.hasPreviousPage ? pageInfo.startCursor : null }
  }

  /**
   * A new session that begins with what was said here, up to the event `upTo`. Give `newSessionId` to repeat safely.
   */
  async fork(options: Omit<ForkSessionInput, 'sessionId'> = {}): Promise<ForkResult> {
    const input = { sessionId: this.id, ...options }
    return (await this.#connection.request(CopySessionDocument, { input })).forkSession
  }

  /**
   * The session as it stands; null when there is none that the token may see. Follow with `events({ after: view.version
   * })`.
   */
  view({ signal }: { readonly signal?: AbortSignal } = {}): Promise<SessionView | null> {
    return readView(this.#connection, this.id, this.#connection.until(signal))
  }

  /**
   * The session's log: everything after `after`, then live, in order, nothing missing and nothing twice, also when the
   * connection or the server was away in between. Ends when the signal is aborted or the client closed. Throws a
   * ClientError with the server's reason when there is nothing to come back to: NOT_FOUND, UNAUTHENTICATED.
   */
  events({ after, signal }: EventsOptions = {}): AsyncGenerator<SessionEvent, void, void> {
    return followEvents(this.#connection, this.id, { after, signal: this.#connection.until(signal) })
  }

  /**
   * The view, and again whenever it has changed. Pieces of output are not followed: they are in `events`. Ends like
   * `events`.
   */
  watch({ signal }: { readonly signal?: AbortSignal } = {}): AsyncGenerator<SessionView, void, void> {
    return watchView(this.#connection, this.id, this.#connection.until(signal))
  }

  /**
   * Allows what a turn waits for. Sent once: when the answer is lost (UNREACHABLE), the view tells whether it arrived,
   * and to decide again does no harm, because the first decision stands.
   */
  approve(approvalId: string, options: ApproveOptions = {}): Promise<DecideResult> {
    return this.#decide({ id: approvalId, approve: true, ...options })
  }

  /** Forbids it; the planner is given the note. Repeating it is as harmless as with `approve`. */
  deny(approvalId: string, options: DenyOptions = {}): Promise<DecideResult> {
    return this.#decide({ id: approvalId, approve: false, ...options })
  }

  async #decide(input: DecideApprovalInput): Promise<DecideResult> {
    return (await this.#connection.request(DecideApprovalDocument, { input })).decideApproval
  }
}
