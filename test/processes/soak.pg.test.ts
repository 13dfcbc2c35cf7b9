/** The soak (`npm run test:soak`) in small, as part of every run of the tests. */
import { expect, test } from 'vitest'
import { createTestDatabase } from '../harness/database.ts'
import { createTemporaryHome } from '../harness/temporary-home.ts'
import { runSoak } from '../soak/soak.ts'

test('twenty sessions that people share, who come, go and change: no stranger sees or changes anything', async () => {
  await using home = await createTemporaryHome()
  await using database = await createTestDatabase()
  const { findings, alarms, counts, serversStarted } = await runSoak({
    home: home.path,
    databaseUrl: database.url,
    seed: 20_261_121,
    sessions: 20,
    people: 10,
    durationMs: 12_000,
    kills: 1,
    followMs: 4000,
    everyMs: { message: 80, move: 100, role: 600, probe: 300 },
    onProgress: () => {},
  })
  expect(findings).toEqual([])
  expect(alarms).toEqual([])
  expect(serversStarted).toBe(3)
  expect(Object.entries(counts).filter(([, count]) => count === 0)).toEqual([])
})
