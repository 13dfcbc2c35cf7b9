/** What docs/deployment.md plans with, and `factotum doctor` asks for, is what a process opens. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { CONNECTIONS_OF_A_PROCESS, PROCESS_CONNECTIONS } from '../../src/store/connection/process-connections.ts'
import { PATIENCE } from '../harness/patience.ts'
import { select } from '../harness/plugins.ts'
import { converse, Story } from '../harness/story.ts'

const OPEN = `SELECT application_name AS name, count(*)::int AS count FROM pg_stat_activity
  WHERE datname = current_database() AND application_name <> '' GROUP BY application_name`

test('a process that works opens the connections that are said, and no others', async () => {
  await using story = await Story.begin()
  await converse(story.as('ben'), '@ben:works', 'run: echo hello\nlearn: The shop opens at nine.\nWhat is new?')
  const { statements, jobs, doorbell, membership } = PROCESS_CONNECTIONS
  await expect
    .poll(() => openConnections(story), PATIENCE)
    .toEqual({
      factotum: statements,
      'factotum jobs': expect.any(Number),
      'factotum doorbell': doorbell,
      'factotum node': membership,
    })
  expect((await openConnections(story))['factotum jobs']).toBeLessThanOrEqual(jobs)
  const page = readFileSync('docs/deployment.md', 'utf8')
  expect(page).toContain(`${CONNECTIONS_OF_A_PROCESS} connections: ${statements} for statements, ${jobs} for jobs`)
})

/** How many connections there are, by their name. The pool for statements is filled behind the start, not by it. */
async function openConnections(story: Story): Promise<Record<string, number>> {
  const rows = await select(story, OPEN)
  return Object.fromEntries(rows.map(({ name, count }) => [String(name), Number(count)]))
}
