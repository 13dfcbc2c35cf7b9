/**
 * Reads again what is shown, soon after each change, and never twice at once. An answer that was asked for before a
 * change need not hold it: what is under way when a read is due is waited for, and then asked again.
 */
import type { QueryClient, QueryKey } from '@tanstack/react-query'

interface ReadSoonOptions {
  /** What is read. */
  readonly keys: readonly QueryKey[]
  /** From a change to its read, and between two reads, at least. */
  readonly delayMs: number
  /** Called as a read begins; what it returns is called when all of it has been read, and not when a part failed. */
  readonly onAsk: () => () => void
}

/** One list that is shown; the component that shows it stops it. */
export class ReadSoon {
  readonly #queries: QueryClient
  readonly #options: ReadSoonOptions
  #timer: ReturnType<typeof setTimeout> | null = null
  #isReading = false
  #isChanged = false
  #isStopped = false

  constructor(queries: QueryClient, options: ReadSoonOptions) {
    this.#queries = queries
    this.#options = options
  }

  /** Something was changed: it is read later than now. */
  change(): void {
    this.#isChanged = true
    if (this.#isReading || this.#isStopped) return
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      void this.#read()
    }, this.#options.delayMs)
  }

  /** No read begins any more. */
  stop(): void {
    this.#isStopped = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
  }

  async #read(): Promise<void> {
    this.#isReading = true
    await this.#underWay()
    this.#isChanged = false
    if (!this.#isStopped) await this.#readAll()
    this.#isReading = false
    if (this.#isChanged) this.change()
  }

  async #readAll(): Promise<void> {
    const onAnswer = this.#options.onAsk()
    const options = { cancelRefetch: false, throwOnError: true }
    const reads = this.#options.keys.map((queryKey) => this.#queries.invalidateQueries({ queryKey }, options))
    const answers = await Promise.allSettled(reads)
    if (answers.every(({ status }) => status === 'fulfilled') && !this.#isStopped) onAnswer()
  }

  /** A failure is shown where the query is. */
  async #underWay(): Promise<void> {
    // What begins while another is waited for was asked for before, too.
    for (let answers = this.#answers(); answers.length > 0; answers = this.#answers()) await Promise.allSettled(answers)
  }

  #answers(): readonly Promise<unknown>[] {
    const queries = this.#options.keys.flatMap((queryKey) =>
      this.#queries.getQueryCache().findAll({ queryKey, fetchStatus: 'fetching' }),
    )
    return queries.flatMap(({ promise = null }) => (promise === null ? [] : [promise]))
  }
}
