/**
 * The receiver of the storm's webhooks: mostly it takes what comes, sometimes late, sometimes it fails or hangs up. It
 * keeps what it was sent, and which deliveries it has taken.
 */
import type { ServerResponse } from 'node:http'
import { answer, Receiver, reset, type Received } from '../delivery/receiver.ts'
import type { SeededRandom } from '../harness/seeded-random.ts'

/** A path at which nothing is taken, for good: deliveries to it end as DEAD. */
const GONE_PATH = '/gone'
const MAX_DELAY_MS = 400

/** One attempt, in the order of arrival. */
export interface ReceivedPost {
  readonly id: string
  readonly sessionId: string
  readonly taskId: string
  readonly content: string
}

export class StormReceiver implements AsyncDisposable {
  readonly posts: ReceivedPost[] = []
  /** Ids of the deliveries that were answered with success. */
  readonly taken = new Set<string>()
  readonly #random: SeededRandom
  readonly #receiver: Receiver

  private constructor(random: SeededRandom, receiver: Receiver) {
    this.#random = random
    this.#receiver = receiver
    receiver.behave((response, post) => this.#receive(response, post))
  }

  static async start(random: SeededRandom): Promise<StormReceiver> {
    return new StormReceiver(random, await Receiver.start())
  }

  /** Where a session's texts go: some sessions have no webhook, and one has one that is gone. */
  webhookOf(index: number): string | null {
    if (index % 3 === 0) return null
    return this.#receiver.url(index === 1 ? GONE_PATH : '/hook')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#receiver[Symbol.asyncDispose]()
  }

  #receive(response: ServerResponse, post: Received): void {
    const id = post.headers['webhook-id'] ?? ''
    const { session: sessionId, task_id: taskId, content } = post.body
    this.posts.push({ id, sessionId, taskId, content })
    if (post.path === GONE_PATH) return answer(410)(response, post, 1)
    if (this.#random.chance(0.02)) return answer(500)(response, post, 1)
    if (this.#random.chance(0.02)) return reset(response, post, 1)
    const delayMs = this.#random.chance(0.2) ? this.#random.between(20, MAX_DELAY_MS) : 0
    setTimeout(() => {
      this.taken.add(id)
      response.writeHead(204).end()
    }, delayMs)
  }
}
