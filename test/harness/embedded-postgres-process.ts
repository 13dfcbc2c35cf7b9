/**
 * A process that uses the embedded PostgreSQL of a home, for tests to kill. Arguments: the home, and how many rows to
 * insert. Reports on stdout, a JSON line each: first the server, then each inserted row once its commit was
 * acknowledged. SIGTERM ends it properly, SIGINT at once.
 */
import pg from 'pg'
import { systemClock } from '../../src/platform/clock.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { startEmbeddedPostgres } from '../../src/postgres/embedded-postgres.ts'

const [home = '', rows = '0'] = process.argv.slice(2)
const logger = createLogger({ level: 'silent', pretty: false })
const server = await startEmbeddedPostgres({ home, logger, clock: systemClock })
const report = (line: object): boolean => process.stdout.write(`${JSON.stringify(line)}\n`)

const pool = new pg.Pool({ connectionString: server.url, max: 1 })
pool.on('error', () => {}) // the server was killed
process.on('SIGINT', () => process.exit(1))
process.on('SIGTERM', () => void pool.end().then(() => server.stop()))

report({ pid: server.pid, adopted: server.adopted, url: server.url })
if (Number(rows) > 0) await pool.query('CREATE TABLE IF NOT EXISTS acknowledged (n serial PRIMARY KEY)')
for (let i = 0; i < Number(rows); i += 1) {
  const { rows: inserted } = await pool.query<{ n: number }>('INSERT INTO acknowledged DEFAULT VALUES RETURNING n')
  report({ n: inserted[0]?.n })
}
