/**
 * (q) What an operator waits for who starts a server again: from the start of the process until it takes requests, on
 * a home that has a database, whose PostgreSQL starts with it. As it is built (dist/, which `npm ci` and `npm start`
 * make) and from its sources, by turns. The floor is that PostgreSQL alone.
 */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { systemClock } from '../src/platform/clock.ts'
import { createLogger } from '../src/platform/logger.ts'
import { startEmbeddedPostgres } from '../src/postgres/embedded-postgres.ts'
import { median, percentile, show } from './figures.ts'
import { cpuMs } from './process-usage.ts'
import { startServer, writeBenchConfig } from './stage.ts'
import { createTemporaryHome } from '../test/harness/temporary-home.ts'
import type { Row } from './table.ts'

const PROGRAMS = { 'as it is built': 'dist/cli.js', 'from its sources': 'src/cli.ts' }

interface Start {
  readonly ms: number
  readonly cpuMs: number
}

export async function measureColdStart({ rounds }: { readonly rounds: number }): Promise<Row[]> {
  const programs = Object.entries(PROGRAMS).map(([what, file]) => ({
    what,
    main: fileURLToPath(new URL(`../${file}`, import.meta.url)),
    starts: [] as Start[],
  }))
  for (const { main } of programs)
    if (!existsSync(main)) throw new Error(`${main} is not there; "npm run generate" makes it`)
  await using home = await createTemporaryHome()
  await startPostgres(home.path) // makes its files, too
  await writeBenchConfig(home.path)
  const floors: number[] = []
  // The first round fills the code cache.
  for (let round = 0; round <= rounds; round += 1) {
    for (const { main, starts } of programs) {
      const start = await startOnce(home.path, main)
      if (round > 0) starts.push(start)
    }
    const alone = await startPostgres(home.path)
    if (round > 0) floors.push(alone)
  }
  return programs.map(({ what, starts }) => {
    const times = starts.map(({ ms }) => ms)
    return {
      what: `(q) from start to ready, ms, ${what}`,
      value: show(median(times)),
      floor: show(median(floors)),
      ratio: show(median(times) / median(floors)),
      note:
        `p10 ${show(percentile(times, 0.1))}, p90 ${show(percentile(times, 0.9))}; ${times.length} starts; ` +
        `CPU of the process ${show(median(starts.map((start) => start.cpuMs)))} ms`,
    }
  })
}

async function startOnce(home: string, main: string): Promise<Start> {
  await using server = await startServer({ main, home })
  return { ms: server.startMs, cpuMs: cpuMs(server.pid) }
}

async function startPostgres(home: string): Promise<number> {
  const beganMs = performance.now()
  const postgres = await startEmbeddedPostgres({
    home,
    clock: systemClock,
    logger: createLogger({ level: 'warn', pretty: false }),
  })
  const ms = performance.now() - beganMs
  await postgres.stop()
  return ms
}
