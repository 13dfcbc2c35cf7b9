/**
 * Prints the files that took longest at the end of a run of many, before the runner's own summary: where the suite's
 * time goes.
 */
import type { Reporter, TestModule, Vitest } from 'vitest/node'

const SHOWN = 20

export default class SlowestFiles implements Reporter {
  #vitest: Vitest | null = null

  onInit(vitest: Vitest): void {
    this.#vitest = vitest
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (modules.length <= SHOWN) return
    const slowest = modules
      .map((module) => ({ name: module.relativeModuleId, ms: module.diagnostic().duration }))
      .toSorted((one, other) => other.ms - one.ms)
      .slice(0, SHOWN)
    const lines = slowest.map(({ name, ms }) => `${(ms / 1000).toFixed(1).padStart(7)} s  ${name}`)
    this.#vitest?.logger.log(`\n The ${SHOWN} slowest of ${modules.length} files:\n\n${lines.join('\n')}`)
  }
}
