import { expect, test } from 'vitest'
import { KEPT, runSmallStorm } from '../crash/storm-in-tests.ts'

/** A small load: what is busy for longer costs more, and proves the same. `test/processes/crash-storm` has more. */
test('3 kills of one of two servers: nothing lost, nothing run twice, nothing missed or repeated', async () => {
  const storm = { sessions: 2, schedules: 1, kills: 3, nodeCuts: 0, hostKills: 0, drops: 5 }
  const { verdict, figures } = await runSmallStorm(storm)
  expect(verdict).toEqual(KEPT)
  expect(figures.commandsMarked).toBeGreaterThan(0)
  expect(figures.takeoversMs.length).toBeGreaterThan(0)
})
