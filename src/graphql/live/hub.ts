/**
 * Serves subscriptions to sessions' logs: who may follow, from which cursor, and with whom each shares executions. One
 * tail per session (src/events), one share group per distinct selection and access class.
 */
import { GraphQLError } from 'graphql'
import type { Viewer } from '../../core/identity.ts'
import { isSessionId } from '../../core/session/session-id.ts'
import type { Feed, Following } from '../../events/feed.ts'
import { noSuchSession } from '../../intake/authorize-session.ts'
import { reasonOf } from '../../platform/error-code.ts'
import type { Clock } from '../../platform/clock.ts'
import { Coalesced } from '../../platform/waiting/coalesced.ts'
import { retried } from '../../platform/waiting/retried.ts'
import type { Logger } from '../../platform/logger.ts'
import type { Metrics } from '../../platform/metrics.ts'
import { audienceOf, badCursor, type LogOperation } from '../operation/log-operation.ts'
import type { Audience, LogEntry, ReadAudience } from './log-view.ts'
import { ShareGroup, type Member } from './share-group.ts'
import type { Subscriber } from './subscriber.ts'

const RETRY = { firstMs: 1000, maxMs: 1000 }

export interface HubOptions {
  readonly feed: Pick<Feed, 'follow' | 'await'>
  /** Whether the viewer may open a session of this id; depends on nothing that is there. */
  readonly mayOpen: (viewer: Viewer, sessionId: string) => boolean
  readonly readAudience: ReadAudience
  /** A context for executions whose results go to all of `audience` (audienceOf) that may see the session. */
  readonly createContext: (audience: Viewer, sessionId: string) => object
  /** How large an event may be as it is shown. */
  readonly maxResponseBytes: () => number
  readonly clock: Clock
  readonly logger: Logger
  readonly metrics: Metrics
}

export interface Subscription {
  readonly operation: LogOperation
  readonly viewer: Viewer
  readonly subscriber: Subscriber
}

/** As `open` is called for a session that came into being while it was waited for: all of its log is wanted. */
interface AwaitedSubscription extends Subscription {
  readonly fromBeginning?: true
}

/** A running subscription. */
export interface Hold {
  /** The subscriber is not called any more. */
  close(): void
}

export class Hub {
  readonly #options: HubOptions
  readonly #sessions = new Map<string, FollowedSession>()

  constructor(options: HubOptions) {
    this.#options = options
  }

  /**
   * Starts a subscription, or says why not: NOT_FOUND for a session that the viewer may neither see nor open,
   * BAD_USER_INPUT for a cursor beyond the log. One that the viewer may open is waited for, in silence, unless
   * the cursor says that it was there; so whether it is there cannot be told from the answer. Rejects with an AppError
   * when the database cannot be asked.
   */
  async open(subscription: Subscription): Promise<Hold | GraphQLError> {
    const { operation, viewer } = subscription
    const { sessionId } = operation
    // No session has such an id, and some of them (NUL) the database could not even be asked for.
    if (!isSessionId(sessionId)) return notFound(sessionId)
    const opened = await this.#openNow(subscription)
    if (!isNotFound(opened)) return opened
    if (!this.#options.mayOpen(viewer, sessionId)) return notFound(sessionId, noSuchSession(viewer, sessionId).message)
    const knowsNothing = (operation.after ?? 0) === 0
    if (!knowsNothing) return opened
    const awaiting = new AwaitedSession(subscription, this.#options, (awaited) => this.#openNow(awaited))
    awaiting.start()
    return awaiting
  }

  async #openNow(subscription: AwaitedSubscription): Promise<Hold | GraphQLError> {
    const { sessionId } = subscription.operation
    const session = this.#sessions.get(sessionId) ?? this.#follow(sessionId)
    session.uses += 1
    try {
      return await session.open(subscription)
    } finally {
      session.uses -= 1
      session.closeIfUnused()
    }
  }

  /** Resolves when everything published so far has been written to its subscribers. */
  async settled(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map((session) => session.settled()))
  }

  /** Ends all subscriptions without a word: their connections are being closed. */
  async stop(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map((session) => session.stop()))
  }

  #follow(sessionId: string): FollowedSession {
    const session: FollowedSession = new FollowedSession(sessionId, this.#options, () => {
      if (this.#sessions.get(sessionId) === session) this.#sessions.delete(sessionId)
    })
    this.#sessions.set(sessionId, session)
    return session
  }
}

/** A subscription to a session that is not there yet: opened when it is, with all of its log. */
class AwaitedSession implements Hold {
  readonly #subscription: Subscription
  readonly #options: HubOptions
  readonly #open: (subscription: AwaitedSubscription) => Promise<Hold | GraphQLError>
  readonly #attempts = new Coalesced(() => this.#attempt())
  #stopWaiting: () => void = () => undefined
  #hold: Hold | null = null
  #isClosed = false

  constructor(
    subscription: Subscription,
    options: HubOptions,
    open: (subscription: AwaitedSubscription) => Promise<Hold | GraphQLError>,
  ) {
    this.#subscription = subscription
    this.#options = options
    this.#open = open
  }

  /** It may have appeared since it was searched for: that is tried first. */
  start(): void {
    const attempt = (): void => void this.#attempts.run()
    this.#stopWaiting = this.#options.feed.await(this.#subscription.operation.sessionId, attempt)
    attempt()
  }

  close(): void {
    this.#isClosed = true
    this.#stopWaiting()
    this.#hold?.close()
  }

  async #attempt(): Promise<void> {
    if (this.#isClosed || this.#hold !== null) return
    const { subscriber, operation } = this.#subscription
    try {
      const opened = await this.#open({ ...this.#subscription, fromBeginning: true })
      if (isNotFound(opened)) return
      this.#stopWaiting()
      if (opened instanceof GraphQLError) subscriber.fail(opened)
      else if (this.#isClosed) opened.close()
      else this.#hold = opened
    } catch (error) {
      // The poll of followed sessions comes back to it.
      this.#options.logger.warn(
        { sessionId: operation.sessionId, error: reasonOf(error) },
        'a session that is waited for could not be opened',
      )
    }
  }
}

class FollowedSession {
  /** Subscriptions that are being opened: they keep the session followed. */
  uses = 0
  readonly #sessionId: string
  readonly #options: HubOptions
  readonly #onClosed: () => void
  readonly #following: Following
  readonly #groups = new Map<string, ShareGroup>()
  /** Counts what may have changed the audience: a read of it that was started before is of no use afterwards. */
  #audienceVersion = 0
  #audience: { readonly version: number; readonly read: Promise<Audience> } | null = null
  readonly #rechecks = new Coalesced(() => this.#recheckMembers())
  #ended = false

  constructor(sessionId: string, options: HubOptions, onClosed: () => void) {
    this.#sessionId = sessionId
    this.#options = options
    this.#onClosed = onClosed
    this.#following = options.feed.follow(sessionId, {
      grew: () => {
        for (const group of this.#groups.values()) group.wake()
      },
      trimmed: () => {
        for (const group of this.#groups.values()) group.forget()
      },
      ended: (reason) => this.#end(reason),
    })
  }

  /**
   * The order matters. `head` is taken before the audience is read, and a new group starts there, so a change of
   * participants that this read did not see comes after `head` and makes the group recheck its members. And nothing is
   * waited for between the audience and joining the group: a recheck, or the session's end, in between would pass the
   * newcomer by.
   */
  async open({ operation, viewer, subscriber, fromBeginning }: AwaitedSubscription): Promise<Hold | GraphQLError> {
    const head = await this.#following.head()
    const start = fromBeginning === true ? 0 : head
    const after = operation.after ?? start ?? 0
    const end = head !== null && after > head ? await this.#following.end() : head
    const audience = end === null ? null : await this.#currentAudience()
    if (head === null || end === null || audience === null || this.#ended || !audience(viewer))
      return notFound(this.#sessionId)
    if (after > end) return badCursor(beyondLog(after, end))
    const snapshot = operation.after === null && operation.view.startsWithSnapshot ? this.#snapshotAt(after) : null
    const member: Member = { viewer, subscriber, cursor: after, open: true }
    const key = JSON.stringify([operation.shareKey, audienceOf(operation, viewer)])
    const group = this.#groups.get(key) ?? this.#startGroup(key, { operation, viewer, head })
    group.add(member, snapshot)
    return { close: () => this.#remove(key, group, member) }
  }

  closeIfUnused(): void {
    if (this.uses > 0 || this.#groups.size > 0 || this.#ended) return
    this.#ended = true
    this.#following.close()
    this.#onClosed()
  }

  async settled(): Promise<void> {
    await Promise.all([...this.#groups.values()].map((group) => group.settled()))
  }

  async stop(): Promise<void> {
    const groups = [...this.#groups.values()]
    this.#end('stopped')
    this.#following.close()
    await Promise.all(groups.map((group) => group.settled()))
    await this.#rechecks.settled()
  }

  #startGroup(key: string, from: { operation: LogOperation; viewer: Viewer; head: number }): ShareGroup {
    const { createContext, maxResponseBytes, clock, logger, metrics } = this.#options
    const audience = audienceOf(from.operation, from.viewer)
    const group = new ShareGroup({
      operation: from.operation,
      following: this.#following,
      head: from.head,
      createContext: () => createContext(audience, this.#sessionId),
      maxResponseBytes,
      onSessionUpdated: () => this.#recheck(),
      clock,
      logger: logger.child({ sessionId: this.#sessionId }),
      metrics,
    })
    this.#groups.set(key, group)
    return group
  }

  #remove(key: string, group: ShareGroup, member: Member): void {
    group.remove(member)
    this.#dropIfEmpty(key, group)
  }

  #dropIfEmpty(key: string, group: ShareGroup): void {
    if (group.members.size > 0) return
    if (this.#groups.get(key) === group) this.#groups.delete(key)
    this.closeIfUnused()
  }

  /** The audience as it was read after the last change that we know of. */
  async #currentAudience(): Promise<Audience> {
    for (;;) {
      const version = this.#audienceVersion
      if (this.#audience?.version !== version) this.#audience = { version, read: this.#readAudience() }
      const audience = await this.#audience.read
      if (version === this.#audienceVersion) return audience
    }
  }

  /** Shared by those who ask while it is under way, not longer. */
  async #readAudience(): Promise<Audience> {
    try {
      return await this.#options.readAudience(this.#sessionId)
    } finally {
      this.#audience = null
    }
  }

  /** Participants may have changed: ends the subscriptions of those who may not see the session any more. */
  #recheck(): Promise<void> {
    this.#audienceVersion += 1
    return this.#rechecks.run()
  }

  async #recheckMembers(): Promise<void> {
    const { clock, logger } = this.#options
    await retried(async () => this.#endAllBut(await this.#currentAudience()), {
      clock,
      pauses: RETRY,
      isWanted: () => !this.#ended,
      onFailure: (error) =>
        logger.warn({ sessionId: this.#sessionId, error: reasonOf(error) }, 'access could not be rechecked; retrying'),
    })
  }

  #endAllBut(audience: Audience): void {
    for (const [key, group] of this.#groups) {
      for (const member of group.members) if (!audience(member.viewer)) group.fail(member, notFound(this.#sessionId))
      this.#dropIfEmpty(key, group)
    }
  }

  #end(reason: 'gone' | 'stopped'): void {
    if (this.#ended) return
    this.#ended = true
    this.#onClosed()
    const error = new GraphQLError(`Session "${this.#sessionId}" was deleted.`, { extensions: { code: 'NOT_FOUND' } })
    for (const group of this.#groups.values()) {
      for (const member of group.members) {
        if (reason === 'gone') group.fail(member, error)
        else group.remove(member)
      }
    }
    this.#groups.clear()
  }

  #snapshotAt(seq: number): LogEntry {
    const { clock } = this.#options
    return {
      type: 'SessionSnapshot',
      seq,
      at: clock.now(),
      sessionId: this.#sessionId,
      turnId: null,
      removedUpTo: null,
    }
  }
}

function notFound(sessionId: string, message = `There is no session "${sessionId}" that you may see.`): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'NOT_FOUND' } })
}

function isNotFound(opened: Hold | GraphQLError): boolean {
  return opened instanceof GraphQLError && opened.extensions['code'] === 'NOT_FOUND'
}

function beyondLog(after: number, end: number): string {
  return `"after" is ${after}, but the session's log ends at ${end}: the session was deleted and opened anew, or the cursor is another session's. Subscribe without "after".`
}
