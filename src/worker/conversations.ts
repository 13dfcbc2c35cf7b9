/**
 * The live conversations of this process: what was said in the sessions whose turns it ran last, so that their next
 * turn reads none of it. What must hold: what a turn is given from here is what it would have read. The database has
 * the last word: its statement leaves the rows out only where nothing has happened since (`isHeldSql`).
 */
import type { Config, LiveConfig } from '../config/config.ts'
import type { HeldRows } from '../core/dialogue.ts'
import type { Clock } from '../platform/clock.ts'
import { RuntimeHolder } from '../model/runtime/runtime-holder.ts'
import { LivePool } from '../platform/live-pool.ts'

/** What a process holds of one session. */
export class Conversation {
  /** Where a runtime of a plugin stays open. */
  readonly runtime = new RuntimeHolder()
  /** What the next turn need not read; null: it reads all. */
  held: HeldRows | null = null
  /** As of its last turn: people may have other names in another. */
  config: Config | null = null
}

export interface ConversationsOptions {
  readonly config: LiveConfig
  readonly clock: Clock
}

const DAY_MS = 86_400_000

/** One for each process. */
export class Conversations {
  readonly #options: ConversationsOptions
  readonly #pool: LivePool<Conversation>

  constructor(options: ConversationsOptions) {
    this.#options = options
    const { config, clock } = options
    this.#pool = new LivePool<Conversation>({
      max: () => config.current().settings.providerSessions,
      idleMs: () => config.current().settings.providerSessionTtlMs,
      clock,
      onEvicted: ({ runtime }) => runtime.close(),
    })
  }

  /** What a turn of the session that begins now need not read; null: it reads all. */
  heldOf(sessionId: string): HeldRows | null {
    const conversation = this.#pool.peek(sessionId)
    const config = this.#options.config.current()
    if (conversation === null || conversation.held === null || conversation.config !== config) return null
    return this.#mayBeRemoved(conversation.held) ? null : conversation.held
  }

  /** A turn of the session has begun here: it is in use until `ended`. */
  begun(sessionId: string): Conversation {
    return this.#pool.take(sessionId) ?? new Conversation()
  }

  /** `held`: what its next turn need not read; null: that is not known. */
  ended(sessionId: string, conversation: Conversation, held: HeldRows | null): void {
    conversation.held = held
    conversation.config = this.#options.config.current()
    if (held === null && !conversation.runtime.isFilled) this.#pool.drop(sessionId)
    else this.#pool.give(sessionId, conversation)
  }

  /** Nothing is kept any more. */
  stop(): void {
    this.#pool.clear()
  }

  /** What is older than `[retention]` allows goes without an event of the log. */
  #mayBeRemoved({ rows }: HeldRows): boolean {
    const { turns, messages } = this.#options.config.current().retention
    const days = Math.min(...[turns, messages].filter((limit) => limit > 0))
    const before = this.#options.clock.now().getTime() - days * DAY_MS
    return rows.messages.some(({ at }) => Date.parse(at) < before)
  }
}
