/**
 * The plugins of one turn: the registry as it was when the turn began, what they have made of the turn so far, and the
 * notifications on their way to them. A notification does not hold the turn up: it waits a short while for others, so
 * that a plugin's thread is woken once for all of them. A hook that does hold it up (a chain, a command, a verdict on a
 * task) brings what waits along, ahead of itself.
 */
import { NO_PLUGIN_WORK, type PluginWork } from '../../core/tool/plugin-work.ts'
import type { Clock } from '../../platform/clock.ts'
import type { BeforeInvokeData, HookInputs, HookName, TaskData } from '../../plugin-api/hook-inputs.ts'
import { atNextBeat } from '../../plugins/hooks/next-beat.ts'
import type { Asking, InvokedSections, Notification, NotifyHook, TurnHooks } from '../../plugins/hooks/turn-hooks.ts'

/** Notifications of one turn that wait; a turn whose plugins are slower than it leaves out what is beyond. */
const MAX_WAITING = 500

/** What the plugins of one turn are called with. */
export interface TurnPluginsOptions {
  readonly hooks: TurnHooks
  /** The turn's. */
  readonly signal: AbortSignal
  readonly clock: Pick<Clock, 'after' | 'monotonicMs'>
  /** Called once for each notification that was left out. */
  readonly onLeftOut: (hook: HookName) => void
}

/** Made by the worker for each turn. */
export class TurnPlugins {
  readonly hooks: TurnHooks
  readonly #options: TurnPluginsOptions
  #work: PluginWork = NO_PLUGIN_WORK
  /** What is under way, one after another; never rejects. */
  #under: Promise<unknown> = Promise.resolve()
  #waiting: Notification[] = []
  #isLingering = false

  constructor(options: TurnPluginsOptions) {
    this.hooks = options.hooks
    this.#options = options
  }

  get work(): PluginWork {
    return this.#work
  }

  /** As it was last committed, or is about to be. */
  set work(work: PluginWork) {
    this.#work = work
  }

  /** `data` is made only when a plugin wants the hook. Never throws for what plugins do. */
  notify<Hook extends NotifyHook>(hook: Hook, data: () => HookInputs[Hook]): void {
    if (this.hooks.wants(hook)) this.#enqueue({ hook, data: data() } as Notification)
  }

  /** A task is done and its verdict stands: it cannot be rejected any more. */
  notifyCompleted(data: () => HookInputs['onTaskComplete']): void {
    const hook = 'onTaskComplete'
    if (this.hooks.wants(hook)) this.#enqueue({ hook, data: data() })
  }

  /** What plugins add to the prompts; a plugin that fails or takes too long adds nothing. Never rejects. */
  beforeInvoke(data: BeforeInvokeData): Promise<InvokedSections> {
    return this.#next((asking) => this.hooks.beforeInvoke(data, asking))
  }

  /** The first rejection by a plugin of what the task came to, or none; a plugin that fails rejects nothing. */
  taskCompleted(data: TaskData): ReturnType<TurnHooks['taskCompleted']> {
    return this.#next((asking) => this.hooks.taskCompleted(data, asking))
  }

  /** Resolves when the notifications so far have been given; never rejects. */
  settled(): Promise<void> {
    return this.#next(({ before, signal }) => this.hooks.notify(before, signal))
  }

  /** What waits by then goes along with it. */
  #next<Answer>(call: (asking: Asking) => Promise<Answer>): Promise<Answer> {
    const called = this.#under.then(() => call({ before: this.#waiting.splice(0), signal: this.#options.signal }))
    this.#under = called.catch(() => undefined)
    return called
  }

  #enqueue(notification: Notification): void {
    if (this.#waiting.length >= MAX_WAITING) return this.#options.onLeftOut(notification.hook)
    this.#waiting.push(notification)
    if (this.#isLingering) return
    this.#isLingering = true
    atNextBeat(this.#options.clock, () => {
      this.#isLingering = false
      if (this.#waiting.length > 0) void this.settled()
    })
  }
}
