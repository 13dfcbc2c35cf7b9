/** The database as a start would find it: reachable, new enough, with free connections, its schema and clock right. */
import type pg from 'pg'
import { messageOf } from '../../core/errors.ts'
import type { Clock } from '../../platform/clock.ts'
import { connectClient } from '../../store/connection/connect-client.ts'
import { findServerProblem } from '../../store/connection/find-server-problem.ts'
import { isMigrated, migrationNames } from '../../store/connection/migrate.ts'
import { fail, ok, warn, type Finding } from './finding.ts'

const CLOCK_WARN_MS = 2000
const CLOCK_FAIL_MS = 60_000

interface Facts {
  readonly version: string
  readonly free: number
  readonly nowMs: number
  readonly isStandby: boolean
  readonly mayCreate: boolean
}

const FACTS = `SELECT current_setting('server_version') AS version,
  current_setting('max_connections')::int
    - (SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend') AS free,
  extract(epoch FROM clock_timestamp())::float8 * 1000 AS "nowMs", pg_is_in_recovery() AS "isStandby",
  has_schema_privilege(current_user, 'public', 'CREATE') AS "mayCreate"`

interface DatabaseChecks {
  /** That a process opens at most. */
  readonly databaseConnections: number
  readonly clock: Clock
}

/** Never rejects. Changes nothing in the database. */
export async function checkDatabase(
  url: string,
  { databaseConnections, clock }: DatabaseChecks,
): Promise<readonly Finding[]> {
  let client: pg.Client
  try {
    client = await connectClient(url, 'factotum doctor')
  } catch (error) {
    return [
      fail('database', messageOf(error), 'Correct DATABASE_URL, or start that server; unset it for the embedded one.'),
    ]
  }
  try {
    const askedMs = clock.now().getTime()
    const { rows } = await client.query<Facts>(FACTS)
    const answeredMs = clock.now().getTime()
    const [facts] = rows
    if (facts === undefined) return []
    const problem = await findServerProblem(client)
    if (problem !== null) return [fail('database', problem.says, problem.fix)]
    return [
      describeServer(facts, databaseConnections),
      describeClock(facts, { askedMs, answeredMs }),
      await checkMigrations(client),
    ]
  } catch (error) {
    return [fail('database', `It cannot be asked: ${messageOf(error)}`, 'Read the log of PostgreSQL.')]
  } finally {
    await client.end()
  }
}

function describeServer({ version, free, isStandby, mayCreate }: Facts, wanted: number): Finding {
  const name = `PostgreSQL ${version}`
  if (isStandby)
    return fail('database', `${name} is a standby, which takes no writes.`, 'Name the primary in DATABASE_URL.')
  if (!mayCreate)
    return fail('database', 'The user in DATABASE_URL may not create tables.', 'ALTER DATABASE … OWNER TO that user.')
  if (free < wanted)
    return warn(
      'database',
      `${name} has ${free} connections left; a process opens up to ${wanted}.`,
      'Raise max_connections of PostgreSQL, or lower DATABASE_CONNECTIONS.',
    )
  return ok('database', `${name}, ${free} connections free.`)
}

interface Asking {
  readonly askedMs: number
  readonly answeredMs: number
}

function describeClock({ nowMs }: Facts, { askedMs, answeredMs }: Asking): Finding {
  // The database read its clock between the question and the answer, which may have taken long.
  const offMs = Math.round(askedMs > nowMs ? askedMs - nowMs : Math.min(0, answeredMs - nowMs))
  const says = `The clock is ${Math.abs(offMs) / 1000} s ${offMs > 0 ? 'ahead of' : 'behind'} the database's.`
  const fix = 'Let both machines follow a time server (chrony, systemd-timesyncd).'
  if (Math.abs(offMs) > CLOCK_FAIL_MS) return fail('clock', says, fix)
  return Math.abs(offMs) > CLOCK_WARN_MS ? warn('clock', says, fix) : ok('clock', says)
}

async function checkMigrations(client: pg.Client): Promise<Finding> {
  const known = await migrationNames()
  if (!(await isMigrated(client))) return ok('migrations', 'The database is empty; the first start fills it.')
  const { rows } = await client.query<{ name: string; done: boolean }>(
    `SELECT migration_name AS name, finished_at IS NOT NULL AS done FROM _prisma_migrations
      WHERE rolled_back_at IS NULL`,
  )
  const broken = rows.find(({ done }) => !done)
  if (broken !== undefined)
    return fail(
      'migrations',
      `${broken.name} failed half-way.`,
      'See the error in _prisma_migrations.logs, mend it, then `npx prisma migrate resolve`.',
    )
  const ahead = rows.filter(({ name }) => !known.includes(name))
  if (ahead.length > 0)
    return fail(
      'migrations',
      `The database has ${ahead.length} migrations that this build does not know: it belongs to a newer version.`,
      'Start that version, or restore a backup from before the upgrade.',
    )
  const pending = known.length - rows.length
  if (pending === 0) return ok('migrations', `All ${known.length} are applied.`)
  const fix = 'The next start applies them; `factotum backup FILE` before it lets you go back.'
  return warn('migrations', `${pending} of ${known.length} are not applied yet.`, fix)
}
