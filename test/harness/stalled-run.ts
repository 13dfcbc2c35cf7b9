/**
 * Ends a run in which no test has ended for ten minutes, and names the files that were running: a worker that computes
 * for ever is not ended by the timeouts of its tests, which are timers of its own.
 */
import type { Reporter, TestModule, Vitest } from 'vitest/node'

const STALLED_AFTER_MS = 10 * 60_000

export default class StalledRun implements Reporter {
  readonly #running = new Map<string, number>()
  #vitest: Vitest | null = null
  #timer: NodeJS.Timeout | undefined

  onInit(vitest: Vitest): void {
    this.#vitest = vitest
  }

  onTestModuleStart(module: TestModule): void {
    this.#running.set(module.relativeModuleId, Date.now())
    this.#wait()
  }

  onTestCaseResult(): void {
    this.#wait()
  }

  onTestModuleEnd(module: TestModule): void {
    this.#running.delete(module.relativeModuleId)
    this.#wait()
  }

  onTestRunEnd(): void {
    clearTimeout(this.#timer)
  }

  #wait(): void {
    clearTimeout(this.#timer)
    if (this.#vitest?.config.watch === true) return
    this.#timer = setTimeout(() => this.#end(), STALLED_AFTER_MS)
  }

  #end(): void {
    const now = Date.now()
    const files = [...this.#running].map(([name, since]) => `  ${name}, for ${Math.round((now - since) / 1000)} s`)
    this.#vitest?.logger.error(`No test has ended for ten minutes. Running:\n${files.join('\n')}`)
    process.exit(1)
  }
}
