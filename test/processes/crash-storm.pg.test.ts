/** The crash test (`npm run test:crash`) in small, as part of every run of the tests. */
import { expect, test } from 'vitest'
import { runStorm } from '../crash/storm.ts'
import { createTestDatabase } from '../harness/database.ts'
import { createTemporaryHome } from '../harness/temporary-home.ts'

/** `.ci/run` asks for more. */
const KILLS = Number(process.env['FACTOTUM_TEST_KILLS'] ?? 3)

test(`${KILLS} kills of one of two servers under load: nothing lost, nothing run twice, nothing missed or repeated`, async () => {
  await using home = await createTemporaryHome()
  await using database = await createTestDatabase()
  const { verdict, figures } = await runStorm({
    home: home.path,
    databaseUrl: database.url,
    seed: 20_261_121,
    sessions: 6,
    schedules: 3,
    kills: KILLS,
    pauses: 0,
    nodeCuts: 2,
    databaseKills: 0,
    killDatabase: () => {},
    hostKills: 3,
    hostStops: 0,
    databaseRestarts: 0,
    restartDatabase: () => {},
    databasePauses: 0,
    pauseDatabase: () => Promise.resolve(),
    drops: 20,
    outageMs: 0,
    onProgress: () => {},
  })
  const kept = { lost: [], twice: [], unended: [], disorder: [], gaps: [], complaints: [] }
  expect(verdict).toEqual({
    ...kept,
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
  const { posts, deliveriesDead, facts, files, auditEntries, approvals, runs, toolCalls, switches } = figures
  expect(
    Math.min(posts, deliveriesDead, facts, files, auditEntries, approvals, runs, toolCalls, switches),
  ).toBeGreaterThan(0)
}, 240_000)
