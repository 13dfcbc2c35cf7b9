import { expect, test } from 'vitest'
import { KEPT, runSmallStorm } from '../crash/storm-in-tests.ts'

test('10 kills of one of two servers under load: nothing lost, nothing run twice, nothing missed or repeated', async () => {
  const storm = { sessions: 6, schedules: 3, kills: 10, nodeCuts: 2, hostKills: 3, drops: 20 }
  const { verdict, figures } = await runSmallStorm(storm)
  expect(verdict).toEqual(KEPT)
  expect(figures.commandsMarked).toBeGreaterThan(0)
  expect(figures.takeoversMs.length).toBeGreaterThan(0)
  const { posts, deliveriesDead, facts, files, auditEntries, approvals, runs, toolCalls, switches } = figures
  expect(
    Math.min(posts, deliveriesDead, facts, files, auditEntries, approvals, runs, toolCalls, switches),
  ).toBeGreaterThan(0)
}, 600_000)
