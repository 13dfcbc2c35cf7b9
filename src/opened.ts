/** What has been opened, to be closed in reverse. One that fails to close does not keep the others open. */
export class Opened {
  readonly #closers: Closer[] = []
  #closing: Promise<void> | null = null
  #part: string | null = null

  /** `part`: what the log calls it. */
  add(part: string, close: () => Promise<void>): void {
    this.#closers.push({ part, close })
  }

  /** The part that is being closed at this moment. */
  get closingPart(): string | null {
    return this.#part
  }

  close(): Promise<void> {
    this.#closing ??= this.#closeAll()
    return this.#closing
  }

  async #closeAll(): Promise<void> {
    const failures: unknown[] = []
    const failed: string[] = []
    for (let closer = this.#closers.pop(); closer !== undefined; closer = this.#closers.pop()) {
      this.#part = closer.part
      try {
        await closer.close()
      } catch (error) {
        failures.push(error)
        failed.push(closer.part)
      }
    }
    this.#part = null
    if (failures.length > 0) throw new AggregateError(failures, `did not close: ${failed.join(', ')}`)
  }
}

interface Closer {
  readonly part: string
  readonly close: () => Promise<void>
}
