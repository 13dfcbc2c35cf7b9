/**
 * Prints the files that took longest at the end of a run of many, before the runner's own summary: where the suite's
 * time goes. How long the run took is kept for `npm run measure`.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Reporter, TestModule, Vitest } from 'vitest/node'

const SHOWN = 20
/** JSON: seconds by the names of the projects that ran. */
export const LAST_RUNS = 'node_modules/.cache/factotum-tests'

export default class SlowestFiles implements Reporter {
  #vitest: Vitest | null = null

  #startedMs = 0

  onTestRunStart(): void {
    this.#startedMs = performance.now()
  }

  onInit(vitest: Vitest): void {
    this.#vitest = vitest
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (modules.length <= SHOWN) return
    this.#keepDuration(new Set(modules.map(({ project }) => project.name)), modules.length)
    const slowest = modules
      .map((module) => ({ name: module.relativeModuleId, ms: module.diagnostic().duration }))
      .toSorted((one, other) => other.ms - one.ms)
      .slice(0, SHOWN)
    const lines = slowest.map(({ name, ms }) => `${(ms / 1000).toFixed(1).padStart(7)} s  ${name}`)
    this.#vitest?.logger.log(`\n The ${SHOWN} slowest of ${modules.length} files:\n\n${lines.join('\n')}`)
  }

  #keepDuration(projects: ReadonlySet<string>, files: number): void {
    const path = `${LAST_RUNS}/${[...projects].toSorted().join('-')}.json`
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, JSON.stringify({ seconds: Math.round((performance.now() - this.#startedMs) / 1000), files }))
  }
}
