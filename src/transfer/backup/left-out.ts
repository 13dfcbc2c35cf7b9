/** What a backup or a restore goes on without, to be said at its end. */
const MAX_NAMED = 5
const MAX_LENGTH = 120

/** Counts names, and keeps the first of them. */
export class Names {
  #count = 0
  readonly #first: string[] = []

  add(name: string): void {
    this.#count += 1
    if (this.#first.length < MAX_NAMED) this.#first.push(printable(name))
  }

  /** Such as `3: "sessions/a", "sessions/b" …`; null when there is nothing. */
  describe(): string | null {
    if (this.#count === 0) return null
    return `${this.#count}: ${this.#first.join(', ')}${this.#count > this.#first.length ? ' …' : ''}`
  }
}

/** Of a backup or a restore. */
export class LeftOut {
  /** Files and folders of the home, with what is in them. */
  readonly files = new Names()
  /** Those that others made beside Factotum's. */
  readonly tables = new Names()
}

/** Users name files: none of it may drive the terminal of the operator. */
function printable(name: string): string {
  const text = name.replaceAll(/\p{C}/gu, '\uFFFD')
  return `"${text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text}"`
}
