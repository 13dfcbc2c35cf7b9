/**
 * A FACTOTUM_HOME for one test, with whatever embedded PostgreSQL it leaves running. The directory's name tells which process
 * made it, so that the next test run can clear away after one that was killed.
 */
import { mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dataDirectory } from '../../src/store/factotum-home.ts'
import { isAlive } from '../../src/store/postgres-program.ts'
import { readIfThere } from '../../src/store/read-if-there.ts'

export interface TemporaryHome extends AsyncDisposable {
  readonly path: string
  /** Ends the PostgreSQL server of this home, if one runs, and removes everything. */
  remove(): Promise<void>
}

const PREFIX = 'factotum-test-'

export async function createTemporaryHome(): Promise<TemporaryHome> {
  const path = await realpath(await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`)))
  const remove = (): Promise<void> => removeHome(path)
  return { path, remove, [Symbol.asyncDispose]: remove }
}

/** Removes the homes of test runs that were killed. */
export async function sweepTemporaryHomes(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const pid = new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1]
    if (pid !== undefined && !isAlive(Number(pid))) await removeHome(join(tmpdir(), name))
  }
}

async function removeHome(path: string): Promise<void> {
  const pid = Number((await readIfThere(join(dataDirectory(path), 'postmaster.pid')))?.split('\n')[0])
  if (pid > 0 && (await isServerOf(pid, path))) process.kill(pid, 'SIGQUIT')
  // The server's processes may still be writing while they end.
  await rm(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
}

async function isServerOf(pid: number, home: string): Promise<boolean> {
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  return process.platform === 'linux' ? command.includes(home) : isAlive(pid)
}
