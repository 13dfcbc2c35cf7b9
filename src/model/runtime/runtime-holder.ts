/**
 * The open runtime of one session, where its next answer finds it. Kept by the process between turns
 * (src/worker/conversations.ts), and closed when it goes.
 */
import type { OpenRuntime } from '../../core/tool/model-runtime.ts'
import type { ProviderState } from '../../core/turn-write.ts'

/** One for each session. */
export class RuntimeHolder {
  #open: { readonly runtime: OpenRuntime; readonly key: string } | null = null
  /** Up to which answer it knows the conversation; null: up to none. */
  state: ProviderState | null = null

  /** Something is open. */
  get isFilled(): boolean {
    return this.#open !== null
  }

  /** The one of this id, if it is open still and was opened with the same; any other one is closed. */
  take(id: string | null, key: string): OpenRuntime | null {
    const open = this.#open
    if (open !== null && open.runtime.id === id && open.key === key && open.runtime.isOpen) return open.runtime
    this.close()
    return null
  }

  /** `key`: all that it was opened with. */
  hold(runtime: OpenRuntime, key: string): void {
    this.close()
    this.#open = { runtime, key }
  }

  /** Repeatable. */
  close(): void {
    this.#open?.runtime.close()
    this.#open = null
    this.state = null
  }
}
