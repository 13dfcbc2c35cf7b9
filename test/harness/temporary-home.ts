/**
 * A FACTOTUM_HOME for one test, with whatever embedded PostgreSQL it leaves running. The directory's name tells which process
 * made it, so that the next test run can clear away after one that was killed.
 */
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dataDirectory } from '../../src/store/factotum-home.ts'
import { isAlive } from '../../src/store/postgres-program.ts'

export interface TemporaryHome extends AsyncDisposable {
  readonly path: string
  /** Ends the PostgreSQL server of this home, if one runs, and removes everything. */
  remove(): Promise<void>
  /** The same, for `process.on('exit')`, where nothing can be awaited. */
  readonly removeSync: () => void
}

const PREFIX = 'factotum-test-'
/** A server that is told to quit ends within milliseconds; it removes files as it does. */
const WAIT_MS = 10
const MAX_WAITS = 500

export async function createTemporaryHome(): Promise<TemporaryHome> {
  const path = realpathSync(mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`)))
  const removeSync = (): void => removeHome(path)
  const remove = async (): Promise<void> => removeHome(path)
  return { path, remove, removeSync, [Symbol.asyncDispose]: remove }
}

/** Removes the homes of processes that were killed. */
export function sweepTemporaryHomes(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1]
    if (pid !== undefined && !isAlive(Number(pid))) removeHome(join(tmpdir(), name))
  }
}

function removeHome(path: string): void {
  const pid = Number(readOrEmpty(join(dataDirectory(path), 'postmaster.pid')).split('\n')[0])
  if (pid > 0 && isServerOf(pid, path)) {
    process.kill(pid, 'SIGQUIT')
    for (let waits = 0; waits < MAX_WAITS && isServerOf(pid, path); waits += 1) sleepSync(WAIT_MS)
  }
  rmSync(path, { recursive: true, force: true })
}

function sleepSync(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

function isServerOf(pid: number, home: string): boolean {
  return process.platform === 'linux' ? readOrEmpty(`/proc/${pid}/cmdline`).includes(home) : isAlive(pid)
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
