/** The crash test (`npm run test:crash`) in small, for the tests. */
import { createTestDatabase } from '../harness/database.ts'
import { createTemporaryHome } from '../harness/temporary-home.ts'
import { runStorm, type StormOptions, type StormReport } from './storm.ts'

type SmallStorm = Pick<StormOptions, 'sessions' | 'schedules' | 'kills' | 'nodeCuts' | 'hostKills' | 'drops'>

/** The verdict when every promise was kept. */
export const KEPT: StormReport['verdict'] = {
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
}

/** On a home and a database of its own, which is not harmed. */
export async function runSmallStorm(storm: SmallStorm): Promise<StormReport> {
  await using home = await createTemporaryHome()
  await using database = await createTestDatabase()
  return await runStorm({
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
}
