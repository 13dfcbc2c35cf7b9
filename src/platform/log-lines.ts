/**
 * What every line of the log goes through before it is written. A logger is made before what its lines must be rid of
 * is known.
 */
export class LogLines {
  /** Which node the process is now; null: none yet. JSON lines carry it, so that those of several can be told apart. */
  node: number | null = null
  /** Where the line stands in a trace; null: in none. JSON lines carry it. */
  trace: () => object | null = () => null
  #change: (line: string) => string = (line) => line

  /** From now on; `change` must not log. */
  changeBy(change: (line: string) => string): void {
    this.#change = change
  }

  /** What stands in each JSON line besides what it says. */
  origin(): object {
    return { ...(this.node === null ? {} : { node: this.node }), ...this.trace() }
  }

  write(line: string): string {
    return this.#change(line)
  }
}
