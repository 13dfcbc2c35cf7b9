/**
 * A `ChatTransport` for the Vercel AI SDK (`useChat`), whose chat is a session: what is said, thought, planned and done
 * in it is durable, and a page that comes back goes on with the turn that runs. It needs no route of its own.
 */
import type { FactotumClient } from '../connect.ts'
import type { SessionClient } from '../session-client.ts'
import type { SessionView } from '../read-view.ts'
import type { ChatMessage, Chunk, MessagePart } from './chunks.ts'
import {
  AskedDocument,
  DecidedTurnDocument,
  OwnNamespaceDocument,
  StopTurnDocument,
  TurnOfMessageDocument,
  TurnStartDocument,
  type ShownTurn,
  type WaitingTurn,
} from './documents.ts'
import { messagesOf, turnSince, type SaidMessage } from './history.ts'
import { KEY_PREFIX } from './message-key.ts'
import { callsWithoutResult, readQuestionId, resultBelow, TurnChunks, WAITS, type Pending } from './turn-chunks.ts'

export type { ChatMessage, Chunk, PlanData, PlanTask } from './chunks.ts'
export type { SaidMessage } from './history.ts'

/** What a transport is made of; only `client` must be given. */
export interface TransportOptions {
  /** Of `connect`. Who closes it is who made it. */
  readonly client: FactotumClient
  /**
   * The session of a chat, by its id. Left out: an id with a colon is that session; any other lies in the caller's own
   * name space ("@anna:<chatId>").
   */
  readonly session?: (chatId: string) => string
  /** How turns work; as the session says when left out. */
  readonly mode?: 'PLAN' | 'CHAT'
  /** Whether `stop()` ends the turn on the server; true when left out. False: only the page stops to watch. */
  readonly stopsTurn?: boolean
}

interface SendOptions<Message> {
  readonly trigger: 'submit-message' | 'regenerate-message'
  readonly chatId: string
  readonly messageId?: string | undefined
  readonly messages: readonly Message[]
  readonly abortSignal: AbortSignal | undefined
}

/** Where a turn is followed from. */
interface FollowedTurn {
  readonly turnId: string
  /** The turn that it waits behind, which is shown first. */
  readonly behind?: string
  /** Others may come first. */
  readonly mayWait?: boolean
  readonly messageId: string
  readonly after: number
  /** As it was there; null: it is the turn's beginning. */
  readonly view: SessionView | null
  /** It goes on with an answer that is shown: the calls that the page has decided about, and has no result of. */
  readonly decided?: readonly string[]
  /** The approvals that were asked for there. */
  readonly asked?: readonly string[]
  /** What is known at once of the calls that were decided about. */
  readonly results?: readonly Chunk[]
}

/** `place`: of what came of it; null: there is nothing to follow. */
interface Sent {
  readonly session: SessionClient
  readonly place: FollowedTurn | null
}

/** How the SDK marks a call that its user has decided about, until its result comes. */
const DECIDED = 'approval-responded'
const TAKEN_BACK = 'WithdrawMessagePayload'
const OVER: ReadonlySet<string> = new Set(['DONE', 'FAILED', 'CANCELLED'])
const WAITING: ReadonlySet<string> = new Set(['QUEUED', 'JOINED'])

/** For both major versions of the SDK: `new FactotumChatTransport<UIMessage>({ client })`. */
export class FactotumChatTransport<Message extends ChatMessage = ChatMessage> {
  /** A turn that is resumed is told from its beginning. */
  readonly resumeStreamIsReplay = true
  readonly #options: TransportOptions
  #namespace: Promise<string> | null = null
  /** By session: the turn that ran when its history was read, which leaves it to the stream. */
  readonly #leftOut = new Map<string, string>()

  constructor(options: TransportOptions) {
    this.#options = options
  }

  /**
   * Sends the last message, or takes the decisions about the calls of the last answer. Repeated for the same message,
   * it is not sent twice. What the server refuses is an error with its sentence.
   */
  async sendMessages(options: SendOptions<Message>): Promise<ReadableStream<Chunk>> {
    const { chatId, messages, abortSignal } = options
    abortSignal?.throwIfAborted()
    const last = answerToGoOnWith(options) ?? messages.at(-1)
    if (last === undefined) throw new Error('There is no message to send.')
    const sent = this.#session(chatId).then(async (session): Promise<Sent> => {
      abortSignal?.throwIfAborted()
      return { session, place: await this.#place(session, last, options) }
    })
    const { session, place } = await this.#unlessAborted(sent, abortSignal)
    return place === null
      ? streamOf([{ type: 'start' }, ...callsWithoutResult(openCalls(last)), { type: 'finish' }])
      : this.#follow(session, place, abortSignal)
  }

  /**
   * What was said in the last `last` entries of the conversation (30 when left out), for `useChat({ messages })`. The
   * turn that runs is left to its `resume`.
   */
  async history(chatId: string, options: { readonly last?: number } = {}): Promise<SaidMessage[]> {
    const session = await this.#session(chatId)
    const view = await session.view()
    if (view === null) return []
    const page = await session.history(options)
    const running = view.activeTurn?.turn.id ?? turnSince(page, view)
    if (running === undefined) this.#leftOut.delete(session.id)
    else this.#leftOut.set(session.id, running)
    return messagesOf(page, view)
  }

  /**
   * The turn that runs, or ran when `history` left it out, from its beginning; null: none does. `abortSignal` ends the
   * turn, too, once there is a stream: a page that leaves before that does not.
   */
  async reconnectToStream({
    chatId,
    abortSignal,
  }: {
    readonly chatId: string
    readonly abortSignal?: AbortSignal | undefined
  }): Promise<ReadableStream<Chunk> | null> {
    const session = await this.#session(chatId)
    const turnId = this.#leftOut.get(session.id) ?? (await session.view())?.activeTurn?.turn.id
    this.#leftOut.delete(session.id)
    if (turnId === undefined) return null
    const { turn } = await this.#options.client.read(TurnStartDocument, { id: turnId })
    if (turn === null || abortSignal?.aborted === true) return null
    const place = { turnId, messageId: turn.message.id, after: turn.firstSeq - 1, view: null }
    return this.#follow(session, place, abortSignal)
  }

  #place(session: SessionClient, last: Message, { trigger }: SendOptions<Message>): Promise<FollowedTurn | null> {
    if (last.role === 'assistant') return this.#decide(session, last)
    return this.#send(session, { message: last, isAgain: trigger === 'regenerate-message' })
  }

  /** Rejects as soon as it is aborted; what was on its way by then is stopped when it has arrived. */
  async #unlessAborted(sent: Promise<Sent>, abortSignal: AbortSignal | undefined): Promise<Sent> {
    let reject: (reason: unknown) => void
    const aborted = new Promise<never>((_resolve, rejectIt) => (reject = rejectIt))
    const onAbort = (): void => {
      reject(abortSignal?.reason)
      void sent.then(({ session, place }) => place !== null && this.#stopIfMeant(session, place)).catch(() => undefined)
    }
    abortSignal?.addEventListener('abort', onAbort, { once: true })
    try {
      return await Promise.race([sent, aborted])
    } finally {
      abortSignal?.removeEventListener('abort', onAbort)
    }
  }

  async #session(chatId: string): Promise<SessionClient> {
    const { client, session } = this.#options
    if (session !== undefined) return client.session(session(chatId))
    if (chatId.includes(':')) return client.session(chatId)
    this.#namespace ??= client.read(OwnNamespaceDocument, {}).then(({ viewer }) => viewer.ownNamespace)
    try {
      return client.session(`${await this.#namespace}:${chatId}`)
    } catch (error) {
      this.#namespace = null
      throw error
    }
  }

  async #send(
    session: SessionClient,
    { message, isAgain }: { readonly message: Message; readonly isAgain: boolean },
  ): Promise<FollowedTurn | null> {
    const { client, mode } = this.#options
    const text = textOf(message.parts, session.id)
    const how = mode === undefined ? {} : { mode }
    const key = `${KEY_PREFIX}${message.id}`
    let sent = await session.send(text, isAgain ? how : { ...how, idempotencyKey: key })
    // A message that was edited keeps its id, and is another one for the session.
    if (sent.__typename === 'ConflictRefusal' && sent.reason === 'KEY_REUSED')
      sent = await session.send(text, { ...how, idempotencyKey: `${key} ${hashOf(text)}` })
    if (sent.__typename !== 'SendMessagePayload') throw new Error(sent.problem)
    const { message: stored } = await client.read(TurnOfMessageDocument, { id: sent.message.id })
    const turn = stored?.turn ?? null
    if (turn === null) return null
    const { id: turnId, firstSeq, status } = turn
    return { turnId, messageId: sent.message.id, after: firstSeq - 1, view: null, mayWait: WAITING.has(status) }
  }

  /** The first decision stands, also one of others: all that came of it is shown. Null: there is nothing to show. */
  async #decide(session: SessionClient, message: Message): Promise<FollowedTurn | null> {
    const decisions = decisionsOf(message)
    const view = await session.view()
    const [first] = decisions
    if (view === null || first === undefined) return null
    const { client } = this.#options
    const ids = { id: first.approvalId, sessionId: session.id }
    const { approval, session: log } = await client.read(DecidedTurnDocument, ids)
    const known = log?.approvals ?? []
    const pending = new Set(
      [...view.approvals, ...known.filter(({ status }) => status === 'PENDING')].map(({ id }) => id),
    )
    for (const decision of decisions) if (pending.has(decision.approvalId)) await take(session, decision)
    const turn = turnIn(session.id, approval)
    if (turn === null) return null
    const seqOf = (id: string) => log?.events.edges.findLast(({ node }) => isAbout(node, id))?.node.seq ?? []
    const settled = decisions.flatMap(({ approvalId: id }) => (pending.has(id) ? [] : seqOf(id)))
    const after = Math.min(view.version, ...settled)
    const asked = decisions.map(({ approvalId }) => approvalId)
    const below = new Set(known.flatMap((one) => (one.session.id === session.id ? [] : one.id)))
    const decidedBelow = decisions.filter(({ approvalId }) => below.has(approvalId))
    const results = await this.#resultsBelow(decidedBelow, ids)
    const decided = openCalls(message).filter((id) => decidedBelow.every(({ toolCallId }) => toolCallId !== id))
    const place = { after, view, decided, asked, results }
    const own = isShown(turn, after) ? null : { ...place, turnId: turn.id, messageId: turn.message.id }
    const waitingId = decisions.find((decision) => decision.waitingId !== undefined)?.waitingId
    if (waitingId === undefined) return own
    const { turn: waiting } = await client.read(TurnStartDocument, { id: waitingId })
    if (waiting === null || isShown(waiting, after)) return own
    const behind = { ...place, turnId: waitingId, messageId: waiting.message.id }
    return own === null ? { ...behind, after: waiting.firstSeq - 1, view: null } : { ...behind, behind: turn.id }
  }

  /** As they stand now: another person may have decided first, and differently. */
  async #resultsBelow(
    decisions: readonly Decision[],
    ids: { readonly id: string; readonly sessionId: string },
  ): Promise<Chunk[]> {
    if (decisions.length === 0) return []
    const { session } = await this.#options.client.read(DecidedTurnDocument, ids)
    const approved = new Set(session?.approvals.flatMap(({ id, status }) => (status === 'APPROVED' ? id : [])))
    return decisions.map(({ toolCallId, approvalId }) => resultBelow(toolCallId, approved.has(approvalId)))
  }

  #follow(session: SessionClient, place: FollowedTurn, abortSignal: AbortSignal | undefined): ReadableStream<Chunk> {
    const left = new AbortController()
    const signal = abortSignal === undefined ? left.signal : AbortSignal.any([abortSignal, left.signal])
    const chunks = this.#chunks(session, place, signal)
    const onStop = (): void => this.#stopIfMeant(session, place)
    abortSignal?.addEventListener('abort', onStop, { once: true })
    const forget = (): void => abortSignal?.removeEventListener('abort', onStop)
    return new ReadableStream<Chunk>({
      async pull(controller) {
        const next = await chunks.next()
        if (next.done !== true) return controller.enqueue(next.value)
        forget()
        controller.close()
      },
      cancel() {
        forget()
        left.abort()
      },
    })
  }

  async *#chunks(session: SessionClient, place: FollowedTurn, signal: AbortSignal): AsyncGenerator<Chunk, void, void> {
    const { turnId, messageId, after, view, decided, behind, mayWait } = place
    let followed = behind ?? turnId
    let chunks = new TurnChunks(followed, view, decided)
    const asked = new Set(place.asked)
    let hasEnded = false
    yield { type: 'start', ...(decided === undefined ? { messageId: turnId } : {}) }
    yield* place.results ?? []
    if (mayWait === true) {
      const first = await this.#askedFirst(session, turnId)
      if (first !== null) return yield* first
    }
    for await (const event of session.events({ after, signal })) {
      // Another turn may take the message along.
      if (event.__typename === 'MessageUpdatedEvent' && event.message.id === messageId)
        followed = await this.#joined(place)
      if (event.turnId === turnId && event.__typename === 'TurnCompletedEvent') hasEnded = true
      if (event.__typename === 'TurnPausedEvent' && event.turnId !== followed) {
        const first = await this.#askedFirst(session, turnId)
        if (first !== null) return yield* [...chunks.end(), ...first]
      }
      if (event.turnId !== followed) continue
      yield* chunks.of(event)
      if (event.__typename === 'ApprovalEvent') asked.add(event.approval.id)
      if (event.__typename === 'TurnPausedEvent') {
        const now = await session.view()
        if (now === null || now.activeTurn?.turn.id !== followed) continue
        const waiting = await this.#waiting(session, now)
        // An earlier pause, of a turn that has gone on since: what is asked now stands further on in the log.
        const isAsked = ({ id }: Pending): boolean => asked.has(id) || event.pausedReason.includes(id)
        if (waiting.length === 0 || !waiting.every(isAsked)) continue
        const isOwn = now.approvals.length > 0
        if (!waiting.some(mayDecide)) {
          yield* chunks.hold(isOwn ? waiting : [])
          continue
        }
        const waitingId = followed === turnId ? null : turnId
        const question = isOwn ? chunks.ask(waiting, waitingId) : chunks.askBelow(waiting, waitingId)
        yield* [...chunks.end(), ...question, { type: 'finish' } as const]
        return
      }
      if (event.__typename !== 'TurnCompletedEvent') continue
      // It begins only now; or, when the turn that took it along fails, the message waits again.
      if (followed !== turnId && !hasEnded && (await this.#joined(place)) === turnId) {
        yield* chunks.complete()
        chunks = new TurnChunks(turnId)
        followed = turnId
        continue
      }
      yield* [...chunks.complete(), ...endOf(event)]
      return
    }
    yield* [...chunks.end(), { type: 'abort' } as const]
  }

  async #joined({ turnId, messageId }: FollowedTurn): Promise<string> {
    const { message } = await this.#options.client.read(TurnOfMessageDocument, { id: messageId })
    return message?.turn?.joinedInto?.id ?? turnId
  }

  /**
   * Where a turn that the page's user must decide about stands before this one: its calls, to be decided about here.
   * Null: this one comes without that.
   */
  async #askedFirst(session: SessionClient, turnId: string): Promise<Chunk[] | null> {
    const view = await session.view()
    const ahead = view?.activeTurn?.turn.id
    if (view === null || ahead === undefined || ahead === turnId) return null
    const waiting = await this.#waiting(session, view)
    if (!waiting.some(mayDecide) || (await this.#isOver(turnId))) return null
    return [...new TurnChunks(ahead, view).ask(waiting, turnId), { type: 'finish' }]
  }

  /** What the turn that runs waits for, or else what it has delegated, oldest first. */
  async #waiting(session: SessionClient, { approvals, activeTurn }: SessionView): Promise<readonly Pending[]> {
    if (approvals.length === 0 && activeTurn?.turn.pausedReason == null) return []
    const { session: read } = await this.#options.client.read(AskedDocument, { id: session.id })
    const own = new Set(approvals.map(({ id }) => id))
    return read?.approvals.toReversed().filter(({ id }) => own.size === 0 || own.has(id)) ?? []
  }

  async #isOver(turnId: string): Promise<boolean> {
    const { turn } = await this.#options.client.read(TurnStartDocument, { id: turnId })
    return turn === null || OVER.has(turn.status)
  }

  #stopIfMeant(session: SessionClient, place: FollowedTurn): void {
    if (this.#options.stopsTurn !== false) this.#stop(session, place).catch(() => undefined) // it has ended meanwhile
  }

  /**
   * Only this turn, and the one before it that is shown: another may run by now. One that has not begun is taken back,
   * unless it begins just then.
   */
  async #stop(session: SessionClient, { turnId, messageId, behind }: FollowedTurn): Promise<void> {
    const isActive = async (id = turnId): Promise<boolean> => (await session.view())?.activeTurn?.turn.id === id
    const isLeft = !(await isActive()) && (await session.withdraw(messageId)).__typename === TAKEN_BACK
    if (isLeft ? behind === undefined || !(await isActive(behind)) : !(await isActive())) return
    await this.#options.client.run(StopTurnDocument, { input: { sessionId: session.id } })
  }
}

/** Of one turn all are alike: they are its user's. */
function mayDecide({ viewerCan }: Pending): boolean {
  return viewerCan.decide
}

/** Tells the versions of one message apart, and nothing more. */
function hashOf(text: string): string {
  let hash = 0
  for (let at = 0; at < text.length; at += 1) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) >>> 0
  return `${text.length}-${hash.toString(36)}`
}

/** Texts alone: what else a message has would be lost without a word. */
function textOf(parts: readonly MessagePart[], sessionId: string): string {
  const texts = parts.map(({ type, text }) => {
    if (type === 'text') return text ?? ''
    const how = `client.session(${JSON.stringify(sessionId)}).upload(name, body)`
    throw new Error(`${type}: only text is taken here. Put files into the session with ${how}.`)
  })
  return texts.join('\n')
}

/** The answer whose calls were decided about, which need not be the last one any more. */
function answerToGoOnWith<Message extends ChatMessage>(options: SendOptions<Message>): Message | undefined {
  const { trigger, messageId, messages } = options
  if (trigger !== 'submit-message') return undefined
  return messages.find(({ id, role }) => id === messageId && role === 'assistant')
}

interface Decision {
  readonly approvalId: string
  readonly toolCallId: string
  readonly waitingId: string | undefined
  readonly approved?: boolean
  readonly reason?: string
}

function decisionsOf({ parts }: ChatMessage): Decision[] {
  return (parts as readonly MessagePart[]).flatMap(({ state, approval, toolCallId }) =>
    state === DECIDED && approval !== undefined && toolCallId !== undefined
      ? [{ ...approval, toolCallId, ...readQuestionId(approval.id) }]
      : [],
  )
}

/** The turn of this session that waits for it; null: it may not be seen. */
function turnIn(sessionId: string, waiting: Partial<WaitingTurn> | null): WaitingTurn['turn'] | null {
  const { turn = null, session } = waiting ?? {}
  return session?.delegation == null || session.id === sessionId ? turn : turnIn(sessionId, session.delegation)
}

/** An event says that the approval is asked for, settled, or waited for by a delegated task. */
function isAbout(
  { approval, pausedReason }: { readonly approval?: { readonly id: string }; readonly pausedReason?: string },
  id: string,
): boolean {
  return approval?.id === id || pausedReason?.includes(id) === true
}

async function take(session: SessionClient, { approvalId: id, approved, reason }: Decision): Promise<void> {
  const note = reason === undefined ? {} : { note: reason }
  const decided = approved === true ? await session.approve(id, note) : await session.deny(id, note)
  if (decided.__typename === 'DecideApprovalPayload') return
  if (decided.__typename !== 'ConflictRefusal' || decided.reason !== 'ALREADY_DECIDED') throw new Error(decided.problem)
}

/** It has ended, and nothing of it stands behind `after`, or its events have been removed. */
function isShown({ status, lastSeq }: ShownTurn, after: number): boolean {
  return OVER.has(status) && (lastSeq ?? 0) <= after
}

/** Calls that are still to have a result: those that were decided about, and delegated tasks that waited for that. */
function openCalls({ parts }: ChatMessage): string[] {
  return (parts as readonly MessagePart[]).flatMap(({ state, output, toolCallId = [] }) =>
    state === DECIDED || output === WAITS ? toolCallId : [],
  )
}

function endOf({
  turnStatus,
  failure,
}: {
  readonly turnStatus: string
  readonly failure?: string | null | undefined
}): Chunk[] {
  if (turnStatus === 'CANCELLED') return [{ type: 'abort' }]
  if (turnStatus === 'FAILED') return [{ type: 'error', errorText: failure ?? 'The turn failed.' }, { type: 'finish' }]
  return [{ type: 'finish' }]
}

function streamOf(chunks: readonly Chunk[]): ReadableStream<Chunk> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })
}
