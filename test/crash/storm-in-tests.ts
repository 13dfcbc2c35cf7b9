/** The crash test (`npm run test:crash`) in small, for the tests. */
import { expect } from 'vitest'
import { createTestDatabase } from '../harness/database.ts'
import { createTemporaryHome } from '../harness/temporary-home.ts'
import { runStorm, type StormOptions, type StormReport } from './storm.ts'

type SmallStorm = Pick<StormOptions, 'sessions' | 'schedules' | 'kills' | 'nodeCuts' | 'hostKills' | 'drops'>

/** On a home and a database of its own. Every promise must be kept; how much was tried is for the caller to judge. */
export async function expectPromisesKept(storm: SmallStorm): Promise<StormReport['figures']> {
  await using home = await createTemporaryHome()
  await using database = await createTestDatabase()
  const { verdict, figures } = await runStorm({
    ...storm,
    home: home.path,
    databaseUrl: database.url,
    seed: 20_261_121,
    pauses: 0,
    databaseKills: 0,
    killDatabase: () => {},
    hostStops: 0,
    databaseRestarts: 0,
    restartDatabase: () => {},
    databasePauses: 0,
    pauseDatabase: () => Promise.resolve(),
    outageMs: 0,
    onProgress: () => {},
  })
  expect(verdict).toEqual({
    lost: [],
    twice: [],
    unended: [],
    disorder: [],
    gaps: [],
    complaints: [],
    delegations: [],
    deliveries: [],
    knowledge: [],
    files: [],
    audit: [],
    approvals: [],
    schedules: [],
    overlaps: [],
    plugins: [],
  })
  expect(figures.commandsMarked).toBeGreaterThan(0)
  expect(figures.takeoversMs.length).toBeGreaterThan(0)
  return figures
}
