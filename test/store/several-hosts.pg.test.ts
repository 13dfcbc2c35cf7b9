/** Several hosts in DATABASE_URL: which one is used, and what becomes of a connection to one that only reads. */
import { once } from 'node:events'
import { createServer, type AddressInfo, type Server } from 'node:net'
import pg from 'pg'
import { expect, test } from 'vitest'
import { createLogger } from '../../src/platform/logger.ts'
import { connectClient } from '../../src/store/connection/connect-client.ts'
import { WritableClient } from '../../src/store/connection/writable-client.ts'
import { Database } from '../../src/store/database.ts'
import { createTestDatabase } from '../harness/database.ts'
import { TcpProxy } from '../harness/tcp-proxy.ts'

/** The same database by these hosts, one after the other. */
function byHosts(url: string, ...ports: readonly (number | string)[]): string {
  const { host } = new URL(url)
  return url.replace(host, ports.map((port) => `127.0.0.1:${port}`).join(','))
}

/** Takes connections and says nothing, as a host whose disk hangs. */
async function silentServer(): Promise<Server & AsyncDisposable> {
  const server = createServer((socket) => void socket.on('error', () => {}).resume()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port

/** As a standby, or a managed server whose disk is full. Connections that there are stay as they are. */
async function takesOnlyReads(url: string, only: boolean): Promise<void> {
  const client = new pg.Client({ connectionString: `${url}?options=-c%20default_transaction_read_only=off` })
  await client.connect()
  const name = new URL(url).pathname.slice(1)
  await client.query(`ALTER DATABASE ${name} ${only ? 'SET default_transaction_read_only = on' : 'RESET ALL'}`)
  await client.end()
}

const causeOf = (error: unknown): unknown => (error as Error).cause

test('past a host that refuses and one that is silent, the next one is used, by servers and by commands', async () => {
  await using database = await createTestDatabase()
  await using silent = await silentServer()
  const url = byHosts(database.url, 1, portOf(silent), new URL(database.url).port)
  const pool = new Database({ url, maxConnections: 3, logger: createLogger({ level: 'silent', pretty: false }) })
  await pool.fill()
  expect(await pool.prisma.session.count()).toBe(0)
  await pool.close()
  const client = await connectClient(url, 'a test')
  expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
  await client.end()
})

test('a server that takes only reads is none: its connections break, and are made again when it takes writes', async () => {
  await using database = await createTestDatabase()
  await using proxy = await TcpProxy.start(database.url)
  const alone = proxy.through(database.url)
  const url = byHosts(alone, 1, new URL(alone).port)
  const pool = new Database({ url, maxConnections: 1, logger: createLogger({ level: 'silent', pretty: false }) })
  const ask = (): Promise<unknown> => pool.query({ name: '', text: 'SELECT 1 AS one' }, [])
  expect(await ask()).toEqual([{ one: 1 }])
  await takesOnlyReads(database.url, true)
  proxy.cut()
  proxy.restore()
  await expect.poll(() => ask().catch(causeOf)).toMatchObject({ code: '25006' })
  await expect(new WritableClient({ connectionString: url }).connect()).rejects.toMatchObject({
    code: '25006',
    message: expect.stringMatching(/^no host takes writes: 127\.0\.0\.1:1: .*ECONNREFUSED.*; .* takes no writes/),
  })
  await expect(new WritableClient({ connectionString: alone }).connect()).rejects.toMatchObject({ code: '25006' })
  // `factotum doctor` checks a standby, and a backup is made of one: one host is the business of who names it.
  await (await connectClient(alone, 'a test')).end()
  await takesOnlyReads(database.url, false)
  await expect.poll(() => ask().catch(causeOf)).toEqual([{ one: 1 }])
  await pool.close()
})

test('a login that is wrong is not a server that is away', async () => {
  await using database = await createTestDatabase()
  const { port, password } = new URL(database.url)
  const url = byHosts(database.url, 1, port).replace(`:${password}@`, ':nonsense@')
  await expect(connectClient(url, 'a test')).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining('refuses the login'),
  })
})
