/**
 * Notifications between the processes that share a database, by LISTEN/NOTIFY on one connection per process. Rung after
 * a commit, never inside a write transaction: a transaction that notifies commits alone
 * (https://www.postgresql.org/docs/current/sql-notify.html), which would put all writers in one queue.
 *
 * Handlers in this process are called at once; other processes are notified by NOTIFY. What is rung while a NOTIFY is
 * under way is coalesced: the latest seq per session wins. While the connection is down, notifications wait (bounded)
 * and handlers get 'resync' when it is back, because those of others may have been missed. Nothing may depend on a
 * notification alone.
 *
 * A process that is alone on its database sends no NOTIFY: one per commit would be a third of its statements. Every
 * process greets when it connects, soon again and then every 15 s, and answers the greetings of others; one that has
 * received nothing from others between two greetings of its own counts as alone until it does. Another process that
 * appears for the first time in a while may have counted itself as alone and sent nothing, so handlers get 'resync'
 * then, too.
 */
import type pg from 'pg'
import { reasonOf } from '../platform/error-code.ts'
import type { Clock } from '../platform/clock.ts'
import { Coalesced } from '../platform/waiting/coalesced.ts'
import { randomHex } from '../platform/random.ts'
import type { Logger } from '../platform/logger.ts'
import { Periodic } from '../platform/waiting/periodic.ts'
import { WritableClient } from '../store/connection/writable-client.ts'
import type { Heard, HeardOf, Notification } from './notification.ts'

const CHANNEL = 'factotum_notifications'
/** PostgreSQL refuses payloads of 8000 bytes and more. */
const MAX_PAYLOAD_BYTES = 7900
/** Notifications that wait for the connection; beyond this they are dropped, and polls find what they were about. */
const MAX_WAITING = 10_000
const CONNECT_TIMEOUT_MS = 3000
const QUERY_TIMEOUT_MS = 5000
/** How often others are greeted. It also tries a silent connection: a server that vanished says nothing. */
const GREET_MS = 15_000
/** The second greeting comes soon: other processes answer the first within milliseconds. */
const GREET_AGAIN_MS = 1000
const RECONNECT = { firstMs: 100, maxMs: 5000 }

/** `true`: this process takes the work, so other processes are not notified. Used for 'work' only. */
type Handler = (heard: Heard) => boolean | void

interface DoorbellOptions {
  readonly url: string
  readonly logger: Logger
  readonly clock: Clock
}

/**
 * One for each process. Handlers are called synchronously and must be quick; what they throw is logged. Before `start`,
 * and without a connection, handlers of this process alone are called.
 */
export class Doorbell {
  readonly #options: DoorbellOptions
  /** Distinguishes our own notifications, which come back to us, from those of others. */
  readonly #instance = randomHex(8)
  readonly #handlers = new Map<Heard['kind'], Set<Handler>>()
  /** Notifications that have not been sent yet, by kind and what they are about. */
  readonly #waiting = new Map<string, Notification>()
  /** What is to be sent besides notifications: a greeting, or the answer to one. */
  #greeting: 'HELLO' | 'HERE' | null = null
  /** No other process has answered the last greetings, so notifications stay in this process. */
  #isAlone = false
  /** Other processes that were heard since the last greeting but one, and since the last. */
  #known = new Set<string>()
  #heardLately = new Set<string>()
  readonly #poll: Periodic
  readonly #sends = new Coalesced(() => this.#sendAll())
  readonly #firstTick = Promise.withResolvers<void>()
  #isStarted = false
  /** The connection that listens. */
  #client: pg.Client | null = null
  /** A connection that broke and is not closed yet. */
  #lost: pg.Client | null = null
  #hasGreetedTwice = false
  #dropped = 0

  constructor(options: DoorbellOptions) {
    this.#options = options
    const { clock, logger } = options
    this.#poll = new Periodic({
      name: 'connection for NOTIFY',
      everyMs: () => (this.#hasGreetedTwice ? GREET_MS : GREET_AGAIN_MS),
      backoff: RECONNECT,
      tick: () => this.#tick().finally(() => this.#firstTick.resolve()),
      isOutage: () => true,
      clock,
      logger,
    })
  }

  /**
   * Listens from now on. Resolves after the first attempt to connect; when that failed, attempts go on in the
   * background.
   */
  async start(): Promise<void> {
    if (!this.#isStarted) this.#poll.start()
    this.#isStarted = true
    await this.#firstTick.promise
  }

  /** Sends what waits, if that takes less than a second, and closes the connection. */
  async stop(): Promise<void> {
    await Promise.race([this.#sends.settled(), this.#options.clock.sleep(1000)])
    await this.#poll.stop()
    await this.#close(this.#client ?? this.#lost)
    this.#client = null
    this.#lost = null
  }

  /** Notifies handlers, of this process at once and of others soon. Never throws, never waits. */
  ring(notification: Notification): void {
    const taken = this.#callHandlers(notification)
    if ((notification.kind === 'work' && taken) || this.#isAlone) return
    const key = `${notification.kind} ${subjectOf(notification)}`
    if (this.#waiting.size >= MAX_WAITING && !this.#waiting.has(key)) {
      this.#dropped += 1
      return
    }
    this.#waiting.set(key, coalesce(this.#waiting.get(key), notification))
    this.#send()
  }

  /** Calls `handler` for this kind of notification, or for 'resync'; the returned function stops that. */
  on<Kind extends Heard['kind']>(kind: Kind, handler: (heard: HeardOf<Kind>) => boolean | void): () => void {
    const handlers = this.#handlers.get(kind) ?? new Set()
    this.#handlers.set(kind, handlers)
    const registered: Handler = (heard) => handler(heard as HeardOf<Kind>)
    handlers.add(registered)
    return () => void handlers.delete(registered)
  }

  #callHandlers(heard: Heard): boolean {
    let taken = false
    for (const handler of this.#handlers.get(heard.kind) ?? []) {
      try {
        taken = handler(heard) === true || taken
      } catch (error) {
        this.#options.logger.error(
          { err: error, notification: heard },
          'notification handler failed; the other handlers still run',
        )
      }
      if (taken && heard.kind === 'work') break
    }
    return taken
  }

  /** Notifies other processes of what waits, soon; without a connection, when there is one again. */
  #send(): void {
    if (this.#client !== null && this.#hasToSend()) void this.#sends.run()
  }

  #hasToSend(): boolean {
    return this.#waiting.size > 0 || this.#greeting !== null
  }

  async #sendAll(): Promise<void> {
    const client = this.#client
    if (client === null) return
    try {
      while (this.#hasToSend() && this.#client === client) {
        const [payload, sent] = this.#nextPayload()
        this.#greeting = null
        await client.query({ name: 'ring', text: 'SELECT pg_notify($1, $2)', values: [CHANNEL, payload] })
        for (const [key, notification] of sent) if (this.#waiting.get(key) === notification) this.#waiting.delete(key)
      }
    } catch (error) {
      this.#options.logger.warn({ error: reasonOf(error) }, 'NOTIFY failed; reconnecting')
      this.#giveUp(client)
    }
  }

  #nextPayload(): [payload: string, sent: readonly (readonly [string, Notification])[]] {
    const sent: (readonly [string, Notification])[] = []
    const texts: string[] = []
    const opening = openingOf(this.#instance)
    const closing = this.#greeting === 'HELLO' ? '],"hello":true}' : ']}'
    let bytes = opening.length + closing.length
    for (const entry of this.#waiting) {
      const text = JSON.stringify(entry[1])
      bytes += Buffer.byteLength(text) + 1
      if (bytes > MAX_PAYLOAD_BYTES) break
      texts.push(text)
      sent.push(entry)
    }
    return [`${opening}${texts.join(',')}${closing}`, sent]
  }

  /**
   * Connects, or greets over the connection that is there. Throws when it broke, so that the next attempt waits a
   * little.
   */
  async #tick(): Promise<void> {
    const lost = this.#lost
    if (lost !== null) {
      this.#lost = null
      await this.#close(lost)
      throw new Error('the connection broke')
    }
    if (this.#client === null) return this.#connect()
    this.#greet()
    this.#hasGreetedTwice = true
    this.#isAlone = this.#known.size === 0
  }

  async #connect(): Promise<void> {
    const client = new WritableClient({
      connectionString: this.#options.url,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: QUERY_TIMEOUT_MS,
      keepAlive: true,
      application_name: 'factotum doorbell',
    })
    client.on('error', () => this.#giveUp(client))
    client.on('end', () => this.#giveUp(client))
    client.on('notification', (notification) => this.#hear(notification.payload ?? ''))
    try {
      await client.connect()
      await client.query(`LISTEN ${CHANNEL}`)
    } catch (error) {
      await this.#close(client)
      throw error
    }
    this.#client = client
    if (this.#dropped > 0) {
      this.#options.logger.warn({ dropped: this.#dropped }, 'notifications were dropped while there was no connection')
      this.#dropped = 0
    }
    this.#callHandlers({ kind: 'resync' })
    this.#hasGreetedTwice = false
    this.#greet()
  }

  #greet(): void {
    this.#known = this.#heardLately
    this.#heardLately = new Set()
    this.#greeting = 'HELLO'
    this.#send()
  }

  /** The connection broke: it is used no more, and the next tick is due. */
  #giveUp(client: pg.Client): void {
    if (this.#client !== client) return
    this.#client = null
    this.#isAlone = false
    this.#lost = client
    this.#poll.wake()
  }

  /** Says goodbye, but not for long: the other side may be gone. */
  async #close(client: pg.Client | null): Promise<void> {
    const ended = client?.end().catch((error: unknown) => {
      this.#options.logger.debug({ error: reasonOf(error) }, 'connection for NOTIFY was already closed')
    })
    await Promise.race([ended, this.#options.clock.sleep(1000)])
  }

  /** Another process is there. */
  #meet(from: string, hello: boolean): void {
    const isNew = !this.#known.has(from)
    this.#known.add(from)
    this.#heardLately.add(from)
    this.#isAlone = false
    if (isNew) this.#callHandlers({ kind: 'resync' })
    if (!hello) return
    this.#greeting ??= 'HERE'
    this.#send()
  }

  #hear(payload: string): void {
    // Our own notifications come back to us as well: not worth reading.
    if (payload.startsWith(openingOf(this.#instance))) return
    try {
      const { from, notifications, hello } = messageIn(payload)
      this.#meet(from, hello)
      for (const one of notifications) this.#callHandlers(one)
    } catch (error) {
      this.#options.logger.error({ err: error }, 'invalid NOTIFY payload')
    }
  }
}

interface Message {
  readonly from: string
  readonly notifications: readonly Notification[]
  readonly hello: boolean
}

/** Throws for a payload that no doorbell has written; kinds of a newer version pass, and have no handlers. */
function messageIn(payload: string): Message {
  const message = JSON.parse(payload) as { from?: unknown; notifications?: unknown; hello?: unknown } | null
  if (!Array.isArray(message?.notifications)) throw new TypeError('no notifications in it')
  return {
    from: String(message.from),
    notifications: message.notifications as readonly Notification[],
    hello: message.hello === true,
  }
}

/** How each payload of an instance begins. */
function openingOf(instance: string): string {
  return `{"from":"${instance}","notifications":[`
}

/** The id of what the notification is about. */
function subjectOf(notification: Notification): string {
  if (notification.kind === 'cancel') return notification.turnId
  if (notification.kind === 'audit' || notification.kind === 'people') return ''
  // Each counts: none replaces another.
  if (notification.kind === 'spent') return `${notification.by} ${notification.n}`
  return 'id' in notification ? notification.id : notification.sessionId
}

function coalesce(before: Notification | undefined, notification: Notification): Notification {
  if (before?.kind === 'trimmed' && notification.kind === 'trimmed')
    return { ...notification, seq: Math.max(before.seq, notification.seq) }
  if (before?.kind !== 'log' || notification.kind !== 'log') return notification
  return { ...notification, seq: Math.max(before.seq, notification.seq), list: before.list || notification.list }
}
