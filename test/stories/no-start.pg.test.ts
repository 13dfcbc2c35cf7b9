/** `factotum` as a process of its own, when it cannot start. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createTestDatabase } from '../harness/database.ts'
import { createTemporaryHome } from '../harness/temporary-home.ts'

// A real process, on a machine that may be busy.
vi.setConfig({ testTimeout: 60_000 })

test('a server whose port is taken says so, and what to change', async () => {
  await using home = await createTemporaryHome()
  await using place = await createTestDatabase()
  const taken = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void taken.close())
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  const env = { PATH: process.env['PATH'], FACTOTUM_HOME: home.path, DATABASE_URL: place.url, PORT: String(port) }
  const run = promisify(execFile)('node', ['src/main.ts'], { env })
  const told = expect.stringContaining(`Port ${port} on 127.0.0.1 is in use`) as string
  await expect(run).rejects.toMatchObject({ code: 1, stderr: told })
})
