/** Who hears of a change to what is kept outside of React; `follow` is what useSyncExternalStore takes. */
export class Listeners {
  readonly #all = new Set<() => void>()

  /** Calls `changed` at each change, until what it returns is called. */
  readonly follow = (changed: () => void): (() => void) => {
    this.#all.add(changed)
    return () => this.#all.delete(changed)
  }

  notify(): void {
    for (const changed of this.#all) changed()
  }
}
