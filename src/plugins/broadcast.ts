/**
 * `onBroadcast`: the events that this process has committed, to the plugins that name their types. Each plugin has a
 * queue of its own and is given one event after another; what comes while it is full is left out and counted.
 */
import type { SessionEvent, SessionEventType } from '../core/session-event.ts'
import type { BroadcastData, Json } from '../plugin-api/hook-inputs.ts'
import type { Clock } from '../platform/clock.ts'
import { HOOK_BUDGETS_MS } from './hook-table.ts'
import { PluginError } from './plugin-instance.ts'
import type { PluginKeeper } from './plugin-keeper.ts'
import { withinBudget } from './runners.ts'

/** Events that wait for one plugin. */
const MAX_WAITING = 1000
const NO_ABORT = new AbortController().signal

/** One for a process: what was committed, given to the plugins that want it. Never throws for what plugins do. */
export class Broadcast {
  readonly #clock: Clock
  #queues: readonly PluginQueue[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Whom events go to from now on. A keeper that stays keeps what waits for it. */
  become(keepers: readonly PluginKeeper[]): void {
    this.#queues = keepers.map(
      (keeper) => this.#queues.find((queue) => queue.keeper === keeper) ?? new PluginQueue(keeper, this.#clock),
    )
  }

  /** After a commit. Returns at once; never throws. */
  give(events: readonly SessionEvent[]): void {
    for (const queue of this.#queues) for (const event of events) queue.add(event)
  }
}

class PluginQueue {
  readonly keeper: PluginKeeper
  readonly #clock: Clock
  readonly #waiting: SessionEvent[] = []
  #isGiving = false

  constructor(keeper: PluginKeeper, clock: Clock) {
    this.keeper = keeper
    this.#clock = clock
  }

  add(event: SessionEvent): void {
    if (!this.#wants(event)) return
    if (this.#waiting.length >= MAX_WAITING) return this.keeper.leftOut()
    this.#waiting.push(event)
    if (!this.#isGiving) void this.#giveAll()
  }

  #wants({ type }: SessionEvent): boolean {
    const manifest = this.keeper.instance?.manifest
    return manifest?.hooks.includes('onBroadcast') === true && manifest.events.includes(eventName(type))
  }

  async #giveAll(): Promise<void> {
    this.#isGiving = true
    for (let event = this.#waiting.shift(); event !== undefined; event = this.#waiting.shift()) await this.#give(event)
    this.#isGiving = false
  }

  async #give(event: SessionEvent): Promise<void> {
    const { instance } = this.keeper
    if (instance === null) return this.keeper.leftOut()
    const hook = 'onBroadcast'
    const work = (signal: AbortSignal): Promise<Json> =>
      instance.call({ kind: 'HOOK', hook, data: broadcastOf(event) }, { signal })
    try {
      await withinBudget(work, { budgetMs: HOOK_BUDGETS_MS[hook], clock: this.#clock, signal: NO_ABORT })
      this.keeper.report({ outcome: 'OK', message: null })
    } catch (error) {
      const outcome = error instanceof PluginError ? error.kind : 'THREW'
      this.keeper.report({ outcome, message: `${hook}: ${error instanceof Error ? error.message : String(error)}` })
    }
  }
}

/** "TurnCompleted" is "turn_completed". */
export function eventName(type: SessionEventType): string {
  return type.replaceAll(/(?<!^)[A-Z]/g, '_$&').toLowerCase()
}

function broadcastOf({ sessionId, turnId, seq, at, type, ...data }: SessionEvent): BroadcastData {
  return { sessionId, turnId, seq, type: eventName(type), at: at.toISOString(), data: data as Json }
}
