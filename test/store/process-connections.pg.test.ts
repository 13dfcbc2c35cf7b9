/** What docs/deployment.md plans with, and `factotum doctor` asks for, is what a process opens. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { DEFAULT_CONNECTIONS, FEWEST_CONNECTIONS, shareConnections } from '../../src/config/process-connections.ts'
import { PATIENCE } from '../harness/patience.ts'
import { select } from '../harness/plugins.ts'
import { converse, Story } from '../harness/story.ts'

const OPEN = `SELECT application_name AS name, count(*)::int AS count FROM pg_stat_activity
  WHERE datname = current_database() AND application_name <> '' GROUP BY application_name`

test.each([DEFAULT_CONNECTIONS, FEWEST_CONNECTIONS])(
  'a process that works opens %i connections at most',
  async (of) => {
    await using story = await Story.begin({ databaseConnections: of })
    await converse(story.as('ben'), '@ben:works', 'run: echo hello\nlearn: The shop opens at nine.\nWhat is new?')
    const { statements, jobs, doorbell, membership } = shareConnections(of)
    await expect
      .poll(() => openConnections(story), { ...PATIENCE, interval: 250 })
      .toEqual({
        factotum: statements,
        'factotum jobs': expect.any(Number),
        'factotum doorbell': doorbell,
        'factotum node': membership,
      })
    expect((await openConnections(story))['factotum jobs']).toBeLessThanOrEqual(jobs)
  },
)

test('they are those that the page on sizing names', () => {
  const { statements, jobs } = shareConnections(DEFAULT_CONNECTIONS)
  const page = readFileSync('docs/deployment.md', 'utf8')
  expect(page).toContain(`${DEFAULT_CONNECTIONS} connections: ${statements} for statements, ${jobs} for jobs`)
  expect(page).toContain(`at least ${FEWEST_CONNECTIONS}`)
})

/** How many connections there are, by their name. The pool for statements is filled behind the start, not by it. */
async function openConnections(story: Story): Promise<Record<string, number>> {
  const rows = await select(story, OPEN)
  return Object.fromEntries(rows.map(({ name, count }) => [String(name), Number(count)]))
}
