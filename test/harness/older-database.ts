/** A database with the schema of an earlier version, for the stories of migrations that move what is there. */
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { systemClock } from '../../src/platform/clock.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { migrate } from '../../src/store/connection/migrate.ts'
import { createTestDatabase } from './database.ts'

const MIGRATIONS = 'prisma/migrations'

export interface OlderDatabase extends AsyncDisposable {
  readonly client: pg.Client
  readonly url: string
  /** Applies all later migrations; their names. */
  migrate(): Promise<readonly string[]>
  /** What a start of the version that had this schema does. */
  startAgain(): Promise<readonly string[]>
}

/** A database as it was before the migration `name`. */
export async function openBefore(name: string): Promise<OlderDatabase> {
  const database = await createTestDatabase({ migrated: false })
  const services = { logger: createLogger({ level: 'silent', pretty: false }), clock: systemClock }
  const directory = await mkdtemp(join(tmpdir(), 'migrations-'))
  const earlier = (await readdir(MIGRATIONS)).filter((other) => other < name)
  for (const other of earlier) await cp(join(MIGRATIONS, other), join(directory, other), { recursive: true })
  await migrate(database.url, { ...services, directory })
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  return {
    client,
    url: database.url,
    migrate: () => migrate(database.url, services),
    startAgain: () => migrate(database.url, { ...services, directory }),
    [Symbol.asyncDispose]: async () => {
      await client.end()
      await rm(directory, { recursive: true })
      await database[Symbol.asyncDispose]()
    },
  }
}
