/** The hooks of this process as they are now: the plugins set them, each turn takes them as it begins. */
import { NO_HOOKS, type TurnHooks } from './turn-hooks.ts'

/** One for a process; before the plugins have started it has none. */
export class LiveHooks {
  #hooks: TurnHooks = NO_HOOKS

  /** Costs nothing. */
  now(): TurnHooks {
    return this.#hooks
  }

  /** For turns that begin from now on. */
  become(hooks: TurnHooks): void {
    this.#hooks = hooks
  }
}
