/**
 * A user who watches: follows their lists and sessions, those that they may see and those that they may not, at any
 * server. What comes is judged by when it was said and by when it came.
 */
import type { SeededRandom } from '../harness/seeded-random.ts'
import { ApprovalUpdatesDocument, SessionUpdatesDocument, WatchSessionDocument } from '../generated/graphql.ts'
import { ApiClient, type Watch } from '../harness/api-client.ts'
import { judgeFrame, pause, type SoakSession, type World } from './world.ts'

export interface WatcherOptions {
  readonly world: World
  readonly name: string
  readonly token: string
  readonly random: SeededRandom
}

interface Until {
  readonly signal: AbortSignal
  readonly followMs: number
}

const STRANGER_CHANCE = 0.3

export class Watcher {
  readonly #options: WatcherOptions

  constructor(options: WatcherOptions) {
    this.#options = options
  }

  /** Polls until `signal` aborts, one thing for `followMs` at most. */
  async watch(signal: AbortSignal, followMs: number): Promise<void> {
    const until = { signal, followMs }
    await Promise.all([
      this.#again(until, (client) => client.watch(SessionUpdatesDocument, {}), 'sessionUpdates'),
      this.#again(until, (client) => client.watch(ApprovalUpdatesDocument, {}), 'approvalUpdates'),
      this.#again(until, (client) => this.#follow(client), 'sessionEvents'),
      this.#again(until, (client) => this.#follow(client), 'sessionEvents'),
    ])
  }

  async #again({ signal, followMs }: Until, open: (client: ApiClient) => Watch<object>, what: string): Promise<void> {
    const { world, token, random } = this.#options
    while (!signal.aborted) {
      const client = new ApiClient(await world.anyUrl(random), token)
      const watch = open(client)
      const stop = new AbortController()
      const over = (): void => stop.abort()
      signal.addEventListener('abort', over, { once: true })
      const timer = setTimeout(over, random.between(followMs / 10, followMs))
      await Promise.race([this.#read(watch, what), aborted(stop.signal)])
      clearTimeout(timer)
      signal.removeEventListener('abort', over)
      // It may have been refused meanwhile.
      await watch.close().catch(() => undefined)
      await pause(20)
    }
  }

  /** Resolves when the subscription ends. */
  async #read(watch: Watch<object>, what: string): Promise<void> {
    const { world, name: person } = this.#options
    const never = watch.until((frame) => {
      judgeFrame(world, { person, what, text: JSON.stringify(frame), to: performance.now() })
      return false
    })
    await never.catch(() => undefined)
  }

  /** Mostly a session in which they take part, sometimes any other. */
  #follow(client: ApiClient): Watch<object> {
    const { world, name, random } = this.#options
    const { sessions, ledger } = world
    const own = sessions.filter(({ index }) => ledger.isIn(name, index))
    const session: SoakSession =
      own.length === 0 || random.chance(STRANGER_CHANCE) ? random.pick(sessions) : random.pick(own)
    const variables = { sessionId: session.id, ...(random.chance(0.5) ? { after: 0 } : {}) }
    const transport = random.pick(['watch', 'watchSse'] as const)
    return client[transport](WatchSessionDocument, variables)
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
