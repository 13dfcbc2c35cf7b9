/**
 * Runs before all tests that need PostgreSQL, once for all projects of a run: an embedded server of their own (or the
 * one of FACTOTUM_TEST_DATABASE_URL, which must ask for a password and let its user create databases), and in it a
 * migrated template, of which each test gets a copy.
 */
import { runMigrations } from 'graphile-worker'
import type { TestProject } from 'vitest/node'
import { jobLogger } from '../../src/jobs/job-runner.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { randomHex } from '../../src/platform/random.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { startEmbeddedPostgres } from '../../src/postgres/embedded-postgres.ts'
import { migrate } from '../../src/store/connection/migrate.ts'
import { databaseUrl, runAsAdmin } from './database.ts'
import { createTemporaryHome, roomyFolder, sweepTemporaryHomes } from './temporary-home.ts'

/** What these tests write need not survive a power cut. */
const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '300',
  scram_iterations: '1',
}

interface TestPostgres extends AsyncDisposable {
  readonly adminUrl: string
  readonly template: string
}

let running: Promise<TestPostgres> | null = null
let projects = 0

export default async function provideTestPostgres(project: TestProject): Promise<() => Promise<void>> {
  projects += 1
  const postgres = await (running ??= startTestPostgres())
  project.provide('testPostgres', { adminUrl: postgres.adminUrl, template: postgres.template })
  return async () => {
    projects -= 1
    if (projects > 0) return
    running = null
    await postgres[Symbol.asyncDispose]()
  }
}

async function startTestPostgres(): Promise<TestPostgres> {
  const logger = createLogger({ level: 'warn', pretty: false })
  await using cleanup = new AsyncDisposableStack()
  sweepTemporaryHomes()
  cleanup.defer(sweepTemporaryHomes) // of workers that were ended in the middle of a test

  const adminUrl = process.env['FACTOTUM_TEST_DATABASE_URL'] ?? (await startServer())
  async function startServer(): Promise<string> {
    const home = cleanup.use(await createTemporaryHome({ folder: roomyFolder() }))
    process.once('exit', home.removeSync) // interrupted: vitest exits without a teardown
    cleanup.defer(() => void process.off('exit', home.removeSync))
    const server = await startEmbeddedPostgres({ home: home.path, logger, clock: systemClock, settings: SETTINGS })
    cleanup.defer(() => server.stop())
    // Set again with one iteration: thousands of connections prove who they are.
    const { username, password } = new URL(server.url)
    await runAsAdmin(server.url, `ALTER ROLE ${username} PASSWORD '${password}'`)
    return server.url
  }

  const template = `factotum_template_${randomHex(4)}`
  await runAsAdmin(adminUrl, `CREATE DATABASE ${template}`)
  cleanup.defer(() => runAsAdmin(adminUrl, `DROP DATABASE ${template}`))
  await migrate(databaseUrl(adminUrl, template), { logger, clock: systemClock })
  await runMigrations({ connectionString: databaseUrl(adminUrl, template), logger: jobLogger(logger) })

  const teardown = cleanup.move()
  return { adminUrl, template, [Symbol.asyncDispose]: () => teardown.disposeAsync() }
}
