import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, mkdtemp, readFile, rm, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { must } from '../platform/must.ts'
import { boundLog, endServer } from './postmaster.ts'

/** A program that does nothing and reports success, as `pg_ctl` does once postmaster.pid is gone. */
const DONE = '/bin/true'

test.runIf(process.platform === 'linux')(
  'a server has ended when its process has, not when its files say so',
  async () => {
    const directory = await mkdtemp(join(tmpdir(), 'postmaster-'))
    const server = spawn('/bin/sleep', ['600'], { argv0: 'postgres', cwd: directory })
    await once(server, 'spawn')
    const exited = once(server, 'exit')
    const waits: number[] = []
    const clock = {
      monotonicMs: () => 0,
      sleep: async (ms: number): Promise<void> => {
        waits.push(ms)
        server.kill()
        await exited
      },
    }
    const binaries = { major: '18', postgres: DONE, pgCtl: DONE, initdb: DONE }
    const files = { data: directory, log: join(directory, 'log'), portFile: join(directory, 'port') }
    const cluster = { directory, ...files, password: '', binaries, account: null }
    const pid = must(server.pid, 'it runs')
    await endServer(cluster, { pid, port: 1, state: 'ready', startedAtS: 0 }, clock)
    server.kill()
    await rm(directory, { recursive: true })
    expect(waits).toHaveLength(1)
  },
)

test('a log that is too large for memory is cut to its end', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'postmaster-'))
  const log = join(directory, 'server.log')
  await appendFile(log, '')
  await truncate(log, 3 * 2 ** 30)
  await appendFile(log, 'the end')
  await boundLog(log)
  const kept = await readFile(log, 'latin1')
  expect([kept.length, kept.slice(-7)]).toEqual([2 ** 20, 'the end'])
  await rm(directory, { recursive: true })
})
