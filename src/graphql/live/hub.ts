/**
 * Serves subscriptions to sessions' logs: who may follow, from which cursor, and with whom each shares executions. One
 * tail per session (src/events), one share group per distinct selection and access class.
 */
import { GraphQLError } from 'graphql'
import { messageOf } from '../../core/errors.ts'
import type { Viewer } from '../../core/identity.ts'
import { isSessionId } from '../../core/session-id.ts'
import type { Feed, Following } from '../../events/feed.ts'
import type { Clock } from '../../platform/clock.ts'
import { Coalesced } from '../../platform/coalesced.ts'
import type { Logger } from '../../platform/logger.ts'
import type { Metrics } from '../../platform/metrics.ts'
import { accessClassOf, badCursor, type LogOperation } from '../operation/log-operation.ts'
import type { Audience, LogEntry, ReadAudience } from './log-view.ts'
import { ShareGroup, type Member } from './share-group.ts'
import type { Subscriber } from './subscriber.ts'

const RETRY_MS = 1000

export interface HubOptions {
  readonly feed: Pick<Feed, 'follow'>
  readonly readAudience: ReadAudience
  /** A context for executions whose results go to all viewers of one class that may see the session. */
  readonly createContext: (viewerClass: Viewer, sessionId: string) => object
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
   * Starts a subscription, or says why not: NOT_FOUND for a session that the viewer may not see, BAD_USER_INPUT for a
   * cursor beyond the log. Rejects with an AppError when the database cannot be asked.
   */
  async open(subscription: Subscription): Promise<Hold | GraphQLError> {
    const { sessionId } = subscription.operation
    // No session has such an id, and some of them (NUL) the database could not even be asked for.
    if (!isSessionId(sessionId)) return notFound(sessionId)
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
      ended: (reason) => this.#end(reason),
    })
  }

  /**
   * The order matters. `head` is taken before the audience is read, and a new group starts there, so a change of
   * participants that this read did not see comes after `head` and makes the group recheck its members. And nothing is
   * waited for between the audience and joining the group: a recheck, or the session's end, in between would pass the
   * newcomer by.
   */
  async open({ operation, viewer, subscriber }: Subscription): Promise<Hold | GraphQLError> {
    const head = await this.#following.head()
    const after = operation.after ?? head ?? 0
    const end = head !== null && after > head ? await this.#following.end() : head
    const audience = end === null ? null : await this.#currentAudience()
    if (head === null || end === null || audience === null || this.#ended || !audience(viewer))
      return notFound(this.#sessionId)
    if (after > end) return badCursor(beyondLog(after, end))
    const snapshot = operation.after === null && operation.view.startsWithSnapshot ? this.#snapshotAt(head) : null
    const member: Member = { viewer, subscriber, cursor: after, open: true }
    const key = JSON.stringify([operation.shareKey, accessClassOf(viewer)])
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
    const viewerClass = accessClassOf(from.viewer)
    const group = new ShareGroup({
      operation: from.operation,
      following: this.#following,
      head: from.head,
      createContext: () => createContext(viewerClass, this.#sessionId),
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
    while (!this.#ended) {
      try {
        return this.#endAllBut(await this.#currentAudience())
      } catch (error) {
        logger.warn({ sessionId: this.#sessionId, error: messageOf(error) }, 'access could not be rechecked; retrying')
        await clock.sleep(RETRY_MS)
      }
    }
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
    return { type: 'SessionSnapshot', seq, at: this.#options.clock.now(), sessionId: this.#sessionId, turnId: null }
  }
}

function notFound(sessionId: string): GraphQLError {
  const message = `There is no session "${sessionId}" that you may see.`
  return new GraphQLError(message, { extensions: { code: 'NOT_FOUND' } })
}

function beyondLog(after: number, end: number): string {
  return `"after" is ${after}, but the session's log ends at ${end}: the session was deleted and opened anew, or the cursor is another session's. Subscribe without "after".`
}
