/**
 * The plugins of one turn: the registry as it was when the turn began, what they have made of the turn so far, and the
 * notifications on their way to them. A notification does not hold the turn up; before a hook that does (a chain, a
 * command, a verdict on a task), those before it have been given.
 */
import { NO_PLUGIN_WORK, type PluginWork } from '../../core/tool/plugin-work.ts'
import type { HookInputs, HookName } from '../../plugin-api/hook-inputs.ts'
import type { NotifyHook, TurnHooks } from '../../plugins/turn-hooks.ts'

/** Notifications of one turn that wait; a turn whose plugins are slower than it leaves out what is beyond. */
const MAX_WAITING = 500

/** Made by the worker for each turn. */
export class TurnPlugins {
  readonly hooks: TurnHooks
  readonly #signal: AbortSignal
  /** Called once for each notification that was left out. */
  readonly #onLeftOut: (hook: HookName) => void
  #work: PluginWork = NO_PLUGIN_WORK
  #queue: Promise<void> = Promise.resolve()
  #waiting = 0

  constructor(hooks: TurnHooks, signal: AbortSignal, onLeftOut: (hook: HookName) => void) {
    this.hooks = hooks
    this.#signal = signal
    this.#onLeftOut = onLeftOut
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
    if (this.hooks.wants(hook)) this.#enqueue(hook, this.hooks.notify.bind(this.hooks, hook, data(), this.#signal))
  }

  /** A task is done and its verdict stands: it cannot be rejected any more. */
  notifyCompleted(data: () => HookInputs['onTaskComplete']): void {
    const hook = 'onTaskComplete'
    if (this.hooks.wants(hook)) this.#enqueue(hook, this.hooks.taskCompleted.bind(this.hooks, data(), this.#signal))
  }

  /** Resolves when the notifications so far have been given; never rejects. */
  async settled(): Promise<void> {
    await this.#queue
  }

  #enqueue(hook: HookName, call: () => Promise<unknown>): void {
    if (this.#waiting >= MAX_WAITING) return this.#onLeftOut(hook)
    this.#waiting += 1
    this.#queue = this.#queue.then(call).then(() => {
      this.#waiting -= 1
    })
  }
}
