/**
 * Posts the agent's texts to the webhooks of sessions: the rows of `deliveries`, which a turn's commit writes. The
 * process that has committed some wakes their session here; retries, and what a full or stopping process cannot take,
 * are jobs; a sweep at start and every minute finds what fell between (a crash between commit and wake, or in the
 * middle of an attempt).
 *
 * What must hold: deliveries of a session go in order, one at a time; sessions do not wait for each other, except for
 * places at the same host; every attempt's outcome is stored; at least once, whichever process dies when.
 */
import type { LiveConfig, TokenConfig } from '../config/config.ts'
import type { ApiKeys } from '../config/access/api-keys.ts'
import { toViewer } from '../config/access/authenticate.ts'
import { seesSession } from '../config/access/session-access.ts'
import { webhookSecretsOf, whyUnsigned } from '../config/access/webhook-secret.ts'
import { ERASED } from '../core/text/erased.ts'
import { enqueueJobs, type NewJob } from '../jobs/enqueue-jobs.ts'
import type { JobHandlers, PeriodicJob } from '../jobs/job-runner.ts'
import { reasonOf } from '../platform/error-code.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import type { Metrics } from '../platform/metrics.ts'
import type { Database } from '../store/database.ts'
import {
  claimDelivery,
  handBackDelivery,
  LONGEST_ATTEMPT_MS,
  nextDelivery,
  sessionsWithDueDeliveries,
  settleDelivery,
  type ClaimedDelivery,
  type NextDelivery,
} from '../store/delivery.ts'
import type { Tracing } from '../telemetry/tracing.ts'
import type { AddressGuard } from './address-guard.ts'
import { inDeliverySpan } from './delivery-span.ts'
import { DELIVERY_SCHEDULE, outcomeOf, type DeliverySchedule } from './delivery-schedule.ts'
import { HostGate } from './host-gate.ts'
import { maskUrl } from './mask-url.ts'
import { CONNECTIONS_PER_HOST, POST_TIMEOUT_MS, Poster, type PostResult } from './post.ts'
import { signPost } from './sign-post.ts'

export interface OutboxOptions {
  readonly database: Database
  readonly config: LiveConfig
  readonly keys: ApiKeys
  readonly guard: AddressGuard
  readonly clock: Clock
  readonly logger: Logger
  readonly metrics: Metrics
  /** Left out: none. */
  readonly tracing?: Tracing
  /** Rung after each attempt. */
  readonly doorbell: { ring(notification: { readonly kind: 'row'; readonly id: string }): void }
  readonly schedule?: DeliverySchedule
  /** Nothing is posted, also what is asked for: the rows wait for a process that may. */
  readonly isPaused?: boolean
  /** For one attempt. */
  readonly timeoutMs?: number
  /** How long posts under way may go on when the process stops. */
  readonly stopGraceMs?: number
  /** Sessions that are seen to at once. */
  readonly maxSessions?: number
}

/** Posts under way at once, in this process. */
const MAX_POSTS = 256
/** Sessions that are seen to at once; each costs a few hundred bytes while it waits. Others are left to jobs. */
const MAX_SESSIONS = 10_000
/** When the job of one that found this process full tries again: at once, it would be back here at once, too. */
const FULL_PAUSE_MS = 15_000
/** An attempt belongs to who has counted it for as long as it can take, and this for storing its outcome. */
const LEASE_MARGIN_MS = LONGEST_ATTEMPT_MS - POST_TIMEOUT_MS
const SWEEP_LIMIT = 5000
const STOP_GRACE_MS = 3000
const DELIVER = 'deliver'
const SWEEP = 'sweep-deliveries'

/** The key of the job that goes on with a session's deliveries. */
export function deliveryJobKey(sessionId: string): string {
  return `${DELIVER}:${sessionId}`
}

export class Outbox {
  readonly #options: OutboxOptions
  readonly #schedule: DeliverySchedule
  readonly #timeoutMs: number
  readonly #poster: Poster
  readonly #gate = new HostGate({ total: MAX_POSTS, perHost: CONNECTIONS_PER_HOST })
  /**
   * Sessions that are seen to here; true: woken again meanwhile. No `Coalesced`: that nothing is due and that the
   * session leaves this table must be one step, or a wake between them would begin a second run beside the first.
   */
  readonly #active = new Map<string, boolean>()
  /** Found this process full, in order of arrival; each has a job, too, as another process may have a place sooner. */
  readonly #full = new Set<string>()
  readonly #running = new Set<Promise<void>>()
  /** No further attempts here. */
  readonly #stopping = new AbortController()
  /** Those under way break off. */
  readonly #ending = new AbortController()

  constructor(options: OutboxOptions) {
    this.#options = options
    this.#schedule = options.schedule ?? DELIVERY_SCHEDULE
    this.#timeoutMs = options.timeoutMs ?? POST_TIMEOUT_MS
    this.#poster = new Poster({ guard: options.guard, clock: options.clock, timeoutMs: this.#timeoutMs })
  }

  /** For the job runner. */
  readonly handlers: JobHandlers = {
    [DELIVER]: async (payload) => this.wake((payload as { sessionId: string }).sessionId),
    [SWEEP]: () => this.sweep(),
  }

  readonly periodic: readonly PeriodicJob[] = [{ name: SWEEP, cron: '* * * * *' }]

  /**
   * A session has deliveries that may be due. Returns at once and never throws; called twice it does no more than once.
   */
  wake(sessionId: string): void {
    if (this.#options.isPaused === true) return
    const { clock, maxSessions = MAX_SESSIONS } = this.#options
    if (this.#active.has(sessionId)) this.#active.set(sessionId, true)
    else if (this.#stopping.signal.aborted) this.#own(this.#leave(sessionId, {}))
    else if (this.#active.size < maxSessions) this.#own(this.#see(sessionId))
    else {
      if (this.#full.size < maxSessions) this.#full.add(sessionId)
      this.#own(this.#leave(sessionId, { runAt: new Date(clock.now().getTime() + FULL_PAUSE_MS) }))
    }
  }

  /** Wakes the sessions whose next delivery is due, longest waiting first, at most `SWEEP_LIMIT`. */
  async sweep(): Promise<void> {
    const waiting = await sessionsWithDueDeliveries(this.#options.database, SWEEP_LIMIT)
    for (const sessionId of waiting) this.wake(sessionId)
  }

  /** Posts under way get a moment to end; what is left, other processes take up. Repeatable; never rejects. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    const { clock, stopGraceMs = STOP_GRACE_MS } = this.#options
    const cancel = clock.after(stopGraceMs, () => this.#ending.abort())
    while (this.#running.size > 0) await Promise.all(this.#running)
    cancel()
    await this.#poster.close()
  }

  #own(work: Promise<void>): void {
    const owned = work.finally(() => this.#running.delete(owned))
    this.#running.add(owned)
  }

  async #see(sessionId: string): Promise<void> {
    try {
      do {
        this.#active.set(sessionId, false)
        await this.#deliverAll(sessionId)
      } while (this.#active.get(sessionId) === true && !this.#stopping.signal.aborted)
    } catch (error) {
      this.#warn(sessionId, error)
    }
    this.#active.delete(sessionId)
    this.#useFreedPlace()
  }

  #useFreedPlace(): void {
    if (this.#stopping.signal.aborted) return
    const [next] = this.#full
    if (next === undefined) return
    this.#full.delete(next)
    this.wake(next)
  }

  /** All that is due now; a job sees to what is due later. */
  async #deliverAll(sessionId: string): Promise<void> {
    const { signal } = this.#stopping
    let next = await nextDelivery(this.#options.database, sessionId)
    while (next !== null) {
      if (!next.isDue || signal.aborted) return this.#enqueue(sessionId, next.isDue ? {} : { runAt: next.dueAt })
      next = await this.#attemptInTurn(sessionId, next)
    }
  }

  /** Waits for a place at the host, attempts, and returns what is next. */
  async #attemptInTurn(sessionId: string, { id, url }: NextDelivery): Promise<NextDelivery | null> {
    const { database } = this.#options
    const leave = await this.#gate.enter(url ?? '', this.#stopping.signal)
    if (leave === null) return nextDelivery(database, sessionId)
    let silent = false
    try {
      const claimed = await claimDelivery(database, id, this.#timeoutMs + LEASE_MARGIN_MS)
      if (claimed === null) return await nextDelivery(database, sessionId)
      const result = await inDeliverySpan(this.#options, claimed, () => this.#attempt(claimed))
      silent = result.kind === 'Failed' && result.silent
      return await this.#settle(claimed, result)
    } catch (error) {
      if (this.#ending.signal.aborted) return await nextDelivery(database, sessionId)
      throw error
    } finally {
      leave({ silent })
    }
  }

  async #attempt(claimed: ClaimedDelivery): Promise<PostResult> {
    const { keys, clock, metrics, database } = this.#options
    const { url, id, sessionId, taskId, content, final } = claimed
    if (url === null) return failure('The session has no webhook any more.')
    if (content === ERASED) return failure('The text was erased.')
    const token = this.#tokenFor(claimed)
    if (typeof token === 'string') return failure(token)
    const secrets = webhookSecretsOf(token, keys)
    if (secrets.length === 0)
      return failure(`The webhook was set with the token "${token.name}", ${whyUnsigned(token)}.`)
    const body = JSON.stringify({ session: sessionId, task_id: taskId, type: 'msg', content, final })
    const headers = { ...signPost(secrets, { id, at: clock.now(), body }), ...this.#options.tracing?.headers() }
    const end = metrics.deliverySeconds.startTimer()
    try {
      return await this.#poster.post({ url, headers, body }, this.#ending.signal)
    } catch (error) {
      await handBackDelivery(database, claimed)
      throw error
    } finally {
      end()
    }
  }

  /** The one that set the webhook, or why nothing is posted there: a right to read that is lost ends with the posts. */
  #tokenFor({ tokenName, sessionId, participants }: ClaimedDelivery): TokenConfig | string {
    const config = this.#options.config.current()
    const token = config.tokens.get(tokenName ?? '')
    if (token === undefined) return `The token "${tokenName}", which set the webhook, is gone; set it with another.`
    if (seesSession(toViewer(config, token), sessionId, new Set(participants))) return token
    return `The token "${token.name}", which set the webhook, may not see the session any more; set it with another.`
  }

  async #settle(claimed: ClaimedDelivery, result: PostResult): Promise<NextDelivery | null> {
    const { database, logger, metrics, doorbell } = this.#options
    const shownUrl = maskUrl(claimed.url ?? '')
    // Without a webhook there is nowhere to go, and without a text nothing to say, however often it is tried.
    const isInVain = claimed.url === null || claimed.content === ERASED
    const schedule = isInVain ? { ...this.#schedule, pausesMs: [] } : this.#schedule
    const attempted = isInVain ? { ...claimed, isAfterDead: false } : claimed
    const outcome = { ...outcomeOf(schedule, attempted, result), shownUrl }
    const next = await settleDelivery(database, claimed, outcome)
    metrics.deliveries.inc({ status: outcome.status })
    const { id: deliveryId, sessionId, attempts } = claimed
    doorbell.ring({ kind: 'row', id: deliveryId })
    const said = { deliveryId, sessionId, url: shownUrl, attempts, statusCode: outcome.statusCode }
    if (outcome.status === 'DEAD')
      logger.warn({ ...said, error: outcome.error }, 'delivery failed for good; an admin can redeliver it')
    else if (outcome.status === 'PENDING')
      logger.info({ ...said, error: outcome.error }, 'delivery failed; retrying later')
    else if (attempts > 1) logger.info(said, 'delivered after failed attempts')
    else logger.debug(said, 'delivered')
    return next
  }

  /** To whichever process takes it. */
  async #leave(sessionId: string, when: Pick<NewJob, 'runAt'>): Promise<void> {
    try {
      await this.#enqueue(sessionId, when)
    } catch (error) {
      this.#warn(sessionId, error)
    }
  }

  #enqueue(sessionId: string, when: Pick<NewJob, 'runAt'>): Promise<void> {
    const job = { name: DELIVER, payload: { sessionId }, key: deliveryJobKey(sessionId), ...when }
    return enqueueJobs(this.#options.database, [job])
  }

  #warn(sessionId: string, error: unknown): void {
    this.#options.logger.warn(
      { sessionId, error: reasonOf(error) },
      'deliveries of the session stopped; the next sweep resumes them',
    )
  }
}

function failure(error: string): PostResult {
  return { kind: 'Failed', error, silent: false }
}
