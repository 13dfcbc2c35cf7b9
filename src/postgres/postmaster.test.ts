import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { must } from '../platform/must.ts'
import { endServer } from './postmaster.ts'

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
