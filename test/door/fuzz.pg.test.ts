/** The fuzzing (`npm run test:fuzz`) in small, as part of every run of the tests. */
import { expect, test } from 'vitest'
import { runFuzz } from '../fuzz/run-fuzz.ts'
import { createTestDatabase } from '../harness/database.ts'
import { rounds } from '../harness/rounds.ts'
import { createTemporaryHome } from '../harness/temporary-home.ts'

const OPERATIONS = rounds(600, 2000)

test(`${OPERATIONS} random operations: every one is answered, none with a server error`, async () => {
  await using home = await createTemporaryHome()
  await using database = await createTestDatabase()
  const options = { home: home.path, databaseUrl: database.url, seed: 20_261_122, onProgress: () => {} }
  const { findings, counts, largestBytes } = await runFuzz({ ...options, documents: OPERATIONS })
  expect(findings).toEqual([])
  expect(largestBytes).toBeGreaterThan(1000)
  // It asks for what there is, and not only for what is refused at once.
  for (const answer of ['200 OK', '200 QUERY_TOO_COMPLEX', '200 GRAPHQL_VALIDATION_FAILED', '200 BAD_USER_INPUT'])
    expect(Object.keys(counts)).toContain(answer)
})
