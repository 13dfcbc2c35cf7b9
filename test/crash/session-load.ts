/**
 * One session of the load: sends message after message, each with an idempotency key and until some server has accepted
 * it, and never has more than a few waiting. Their commands leave their ids in a file outside the database.
 */
import { OpenSessionDocument, SendMessageDocument, type SessionMode } from '../generated/graphql.ts'
import { Follower } from './follower.ts'
import { delegatedCall } from './delegations.ts'
import { callOf } from './plugin-load.ts'
import type { SeededRandom } from '../harness/seeded-random.ts'
import { StormClient } from './storm-client.ts'

export interface SessionLoadOptions {
  readonly sessionId: string
  readonly token: string
  /** The file to which commands append. */
  readonly marks: string
  /** The one to which they append when another command of their session runs. */
  readonly overlaps: string
  /** Where the agent's texts are posted; null: nowhere. */
  readonly webhook: string | null
  readonly anyUrl: (random: SeededRandom) => Promise<string>
  readonly random: SeededRandom
}

/** A message that some server said it had accepted. */
export interface AcceptedMessage {
  readonly id: string
  readonly content: string
  readonly idempotencyKey: string
}

interface SentMessage {
  readonly content: string
  readonly idempotencyKey: string
  readonly mode: SessionMode
}

/** Conversations beside plans, in the same session. */
function modeOf(n: number): SessionMode {
  return n % 3 === 0 ? 'CHAT' : 'PLAN'
}

const RETRY_MS = 100
const ASKING_CHANCE = 0.08
/** A command that publishes a file; the judge knows it by this. */
export const PUBLISH = 'mkdir -p pub; echo $RANDOM > pub/file.txt'
/** Commands that begin with it need an approval. */
export const ASKS_FIRST = 'tee'

export class SessionLoad {
  readonly options: SessionLoadOptions
  readonly accepted: AcceptedMessage[] = []
  readonly followers: readonly Follower[]
  readonly #client: StormClient
  readonly #following: Promise<void>[] = []
  #attempts = 0
  #longestRefusalMs = 0

  constructor(options: SessionLoadOptions) {
    this.options = options
    this.#client = new StormClient({ ...options, name: options.sessionId, random: options.random.fork() })
    this.followers = (['watch', 'watchSse'] as const).map(
      (transport) => new Follower({ ...options, transport, random: options.random.fork() }),
    )
  }

  get complaints(): readonly string[] {
    return this.#client.complaints
  }

  /** How often a message was sent, over and over included. */
  get attempts(): number {
    return this.#attempts
  }

  /** The longest that it took to hear that the database is away. */
  get longestRefusalMs(): number {
    return this.#longestRefusalMs
  }

  /** Sends messages until `signal` aborts, at least two. */
  async send(signal: AbortSignal): Promise<void> {
    await this.#open()
    // With one, the session comes to rest between its turns, and any server may take the next.
    const maxWaiting = this.options.random.between(1, 3)
    for (let n = 1; n <= 2 || !signal.aborted; n += 1) {
      await this.#sendUntilAccepted({ content: this.#messageNumber(n), idempotencyKey: `key-${n}`, mode: modeOf(n) })
      if (n === 1) for (const follower of this.followers) this.#following.push(follower.follow())
      await Promise.race([...this.#following, this.followers[0]?.untilTurnsEnded(n - maxWaiting)])
      await sleep(this.options.random.between(0, 300))
    }
  }

  /** Resolves when every follower has seen every turn end. */
  async untilEnded(): Promise<void> {
    const seen = this.followers.map((follower) => follower.untilTurnsEnded(this.accepted.length))
    await Promise.race([Promise.all(seen), ...this.#following])
  }

  async stop(): Promise<void> {
    for (const follower of this.followers) follower.stop()
    await Promise.all(this.#following)
  }

  #messageNumber(n: number): string {
    const { sessionId, marks, overlaps, random } = this.options
    const commands = Array.from({ length: random.between(1, 3) }, (_, index) => {
      const id = `${sessionId}/${n}.${index + 1}`
      const rest = random.pick([
        '',
        `sleep 0.${random.between(1, 6)}`,
        'for n in 1 2 3; do echo $n; sleep 0.05; done',
        PUBLISH,
      ])
      const mark = random.chance(ASKING_CHANCE) ? `echo ${id} | ${ASKS_FIRST} -a ${marks}` : `echo ${id} >> ${marks}`
      // A command holds the lock until its last process has ended, also while it is stopped.
      const alone = `exec 9>>lock; flock -n 9 || echo $PWD >> ${overlaps}`
      return `run: ${mark}; ${alone}; echo ${id}${rest === '' ? '' : `; ${rest}`}`
    })
    const wait = random.chance(0.2) ? [`wait: ${random.between(50, 400)}`] : []
    const fail = random.chance(0.1) ? ['fail: because the load wants another plan'] : []
    const call = modeOf(n) === 'CHAT' ? [callOf(`${sessionId}/${n}.tool`), ...delegatedCall(sessionId, n)] : []
    return [...commands, ...call, ...this.#learn(), ...wait, ...fail, `This is message ${n} of ${sessionId}.`].join(
      '\n',
    )
  }

  /** What a review is to learn: words that nobody has used before, or it would be taken for a repetition. */
  #learn(): string[] {
    const { random } = this.options
    if (!random.chance(0.3)) return []
    const word = (): string => Array.from({ length: 7 }, () => String.fromCodePoint(random.between(97, 122))).join('')
    const start = random.pick(['', '', '', 'maybe '])
    const end = random.pick(['', '', '', '?'])
    return [`learn: ${start}${Array.from({ length: 6 }, word).join(' ')}${end}`]
  }

  /** With a webhook: before its first message. */
  async #open(): Promise<void> {
    const { sessionId: id, webhook } = this.options
    if (webhook === null) return
    for (;;) {
      const input = { id, webhook }
      const reply = await this.#client.request((client) => client.request(OpenSessionDocument, { input }))
      if (reply?.data?.openSession.__typename === 'OpenSessionPayload') return
      if (reply !== null) this.#client.isExpected('openSession', reply)
      await sleep(RETRY_MS)
    }
  }

  async #sendUntilAccepted(message: SentMessage): Promise<void> {
    const { content, idempotencyKey } = message
    for (;;) {
      const id = await this.#sendOnce(message)
      if (id !== null) return void this.accepted.push({ id, content, idempotencyKey })
      await sleep(RETRY_MS)
    }
  }

  /** The id of the message that was accepted, or null: nobody knows. */
  async #sendOnce(message: SentMessage): Promise<string | null> {
    this.#attempts += 1
    const sentAtMs = performance.now()
    const input = { sessionId: this.options.sessionId, ...message }
    const reply = await this.#client.request((client) => client.request(SendMessageDocument, { input }))
    if (reply === null) return null
    const result = reply.data?.sendMessage
    if (result?.__typename === 'SendMessagePayload') return result.message.id
    if (this.#client.isExpected('sendMessage', reply))
      this.#longestRefusalMs = Math.max(this.#longestRefusalMs, performance.now() - sentAtMs)
    return null
  }
}

async function sleep(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms))
}
