/** What has been opened, to be closed in reverse. One that fails to close does not keep the others open. */
export class Opened {
  readonly #closers: (() => Promise<void>)[] = []
  #closing: Promise<void> | null = null

  add(close: () => Promise<void>): void {
    this.#closers.push(close)
  }

  close(): Promise<void> {
    this.#closing ??= this.#closeAll()
    return this.#closing
  }

  async #closeAll(): Promise<void> {
    const failures: unknown[] = []
    for (let close = this.#closers.pop(); close !== undefined; close = this.#closers.pop()) {
      try {
        await close()
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, 'some parts did not close')
  }
}
