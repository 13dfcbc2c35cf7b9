/**
 * One session of the load: sends message after message, each with an idempotency key and until some server has accepted it,
 * and never has more than a few waiting. Their commands leave their ids in a file outside the database.
 */
import { OpenSessionDocument, SendMessageDocument } from '../generated/graphql.ts'
import { ApiClient, type Reply } from '../harness/api-client.ts'
import { Follower } from './follower.ts'
import type { Random } from './random.ts'

export interface SessionLoadOptions {
  readonly sessionId: string
  readonly token: string
  /** The file to which commands append. */
  readonly marks: string
  /** Where the agent's texts are posted; null: nowhere. */
  readonly webhook: string | null
  readonly anyUrl: (random: Random) => Promise<string>
  readonly random: Random
}

/** A message that some server said it had accepted. */
export interface AcceptedMessage {
  readonly id: string
  readonly content: string
  readonly idempotencyKey: string
}

const REQUEST_TIMEOUT_MS = 6000
const RETRY_MS = 100
/** A command that publishes a file; the judge knows it by this. */
export const PUBLISH = 'mkdir -p pub; echo $RANDOM > pub/file.txt'
/** What an answer may be while servers die and the database goes away; anything else is a bug. */
const EXPECTED_CODES = new Set(['DATABASE_UNAVAILABLE', 'STORAGE_FULL', 'SHUTTING_DOWN'])

export class SessionLoad {
  readonly options: SessionLoadOptions
  readonly accepted: AcceptedMessage[] = []
  readonly followers: readonly Follower[]
  readonly complaints: string[] = []
  readonly #following: Promise<void>[] = []
  #attempts = 0
  #longestRefusalMs = 0

  constructor(options: SessionLoadOptions) {
    this.options = options
    this.followers = (['watch', 'watchSse'] as const).map(
      (transport) => new Follower({ ...options, transport, random: options.random.fork() }),
    )
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
      await this.#sendUntilAccepted(this.#messageNumber(n), `key-${n}`)
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
    const { sessionId, marks, random } = this.options
    const commands = Array.from({ length: random.between(1, 3) }, (_, index) => {
      const id = `${sessionId}/${n}.${index + 1}`
      const rest = random.pick([
        '',
        `sleep 0.${random.between(1, 6)}`,
        'for n in 1 2 3; do echo $n; sleep 0.05; done',
        PUBLISH,
      ])
      return `run: echo ${id} >> ${marks}; echo ${id}${rest === '' ? '' : `; ${rest}`}`
    })
    const wait = random.chance(0.2) ? [`wait: ${random.between(50, 400)}`] : []
    const fail = random.chance(0.1) ? ['fail: because the load wants another plan'] : []
    return [...commands, ...this.#learn(), ...wait, ...fail, `This is message ${n} of ${sessionId}.`].join('\n')
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
      const reply = await this.#request((client) => client.request(OpenSessionDocument, { input: { id, webhook } }))
      if (reply?.data?.openSession.__typename === 'OpenSessionPayload') return
      if (reply !== null) this.#judgeRefusal('openSession', reply)
      await sleep(RETRY_MS)
    }
  }

  async #sendUntilAccepted(content: string, idempotencyKey: string): Promise<void> {
    for (;;) {
      const id = await this.#sendOnce(content, idempotencyKey)
      if (id !== null) return void this.accepted.push({ id, content, idempotencyKey })
      await sleep(RETRY_MS)
    }
  }

  /** The id of the message that was accepted, or null: nobody knows. */
  async #sendOnce(content: string, idempotencyKey: string): Promise<string | null> {
    this.#attempts += 1
    const sentAtMs = performance.now()
    const input = { sessionId: this.options.sessionId, content, idempotencyKey }
    const reply = await this.#request((client) => client.request(SendMessageDocument, { input }))
    if (reply === null) return null
    const result = reply.data?.sendMessage
    if (result?.__typename === 'SendMessagePayload') return result.message.id
    if (this.#judgeRefusal('sendMessage', reply))
      this.#longestRefusalMs = Math.max(this.#longestRefusalMs, performance.now() - sentAtMs)
    return null
  }

  /** The answer of some server; null: there was none in time. */
  async #request<Data>(send: (client: ApiClient) => Promise<Reply<Data>>): Promise<Reply<Data> | null> {
    const { anyUrl, random, token } = this.options
    const client = new ApiClient(await anyUrl(random), token)
    const timeout = sleep(REQUEST_TIMEOUT_MS).then(() => null)
    return Promise.race([send(client).catch(() => null), timeout])
  }

  /** Whether it is what a server may say while others die and the database goes away. */
  #judgeRefusal(operation: string, reply: Reply<unknown>): boolean {
    const codes = reply.errors.map(({ extensions }) => String(extensions?.['code']))
    const isExpected = codes.length > 0 && codes.every((code) => EXPECTED_CODES.has(code))
    if (!isExpected) this.complaints.push(`${this.options.sessionId}: ${operation} answered ${JSON.stringify(reply)}`)
    return isExpected
  }
}

async function sleep(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms))
}
