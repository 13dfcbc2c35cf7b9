/** What a DBA has set for all who use the database is not what a server uses in its own sessions. */
import pg from 'pg'
import { expect, test } from 'vitest'
import { verifyAuditCommand } from '../../src/audit/audit-command.ts'
import { createTestDatabase } from '../harness/database.ts'
import { converse, Story } from '../harness/story.ts'

const SETTINGS = {
  DateStyle: "'SQL, DMY'",
  TimeZone: "'America/St_Johns'",
  bytea_output: 'escape',
  default_transaction_isolation: 'serializable',
  extra_float_digits: '-15',
  idle_session_timeout: "'1 ms'",
  lock_timeout: "'1 ms'",
  standard_conforming_strings: 'off',
  statement_timeout: "'1 ms'",
}

test('dates in another style, another time zone, timeouts of milliseconds', async () => {
  await using place = await createTestDatabase({ migrated: false })
  const dba = new pg.Client({ connectionString: place.url })
  await dba.connect()
  const name = new URL(place.url).pathname.slice(1)
  for (const [setting, value] of Object.entries(SETTINGS))
    await dba.query(`ALTER DATABASE ${name} SET ${setting} = ${value}`)
  await dba.end()

  await using story = await Story.begin({ databaseUrl: place.url })
  const { tasks } = await converse(story.as('ada'), 'cli:set', 'run: echo hi')
  expect(tasks[0]).toMatchObject({ status: 'DONE' })
  expect(await verifyAuditCommand({ databaseUrl: place.url, day: null, kept: null, print: () => {} })).toBe(true)
})
