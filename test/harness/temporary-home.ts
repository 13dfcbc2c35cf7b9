/**
 * A FACTOTUM_HOME for one test, with whatever embedded PostgreSQL it leaves running. The directory's name tells which
 * process made it, so that the next test run can clear away after one that was killed.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dataDirectory } from '../../src/config/home/factotum-home.ts'
import { isAlive } from '../../src/postgres/postgres-program.ts'

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
const MEMORY = '/dev/shm'
/** Magic number of tmpfs, see statfs(2). */
const TMPFS = 0x01021994
const SPACE_BYTES = 4 * 1024 ** 3

export async function createTemporaryHome({ folder = tmpdir() } = {}): Promise<TemporaryHome> {
  const path = realpathSync(mkdtempSync(join(folder, `${PREFIX}${process.pid}-`)))
  const removeSync = (): void => removeHome(path)
  const remove = async (): Promise<void> => removeHome(path)
  return { path, remove, removeSync, [Symbol.asyncDispose]: remove }
}

/**
 * Where many databases come and go: a folder in memory, if there is one with space. On ext4 each new file has to find a
 * place among those that were just deleted, and every database makes and deletes three hundred.
 */
export function roomyFolder(): string {
  if (!existsSync(MEMORY)) return tmpdir()
  const { type, bavail, bsize } = statfsSync(MEMORY)
  const hasSpace = Math.min(bavail * bsize, process.availableMemory()) >= SPACE_BYTES
  return type === TMPFS && hasSpace ? MEMORY : tmpdir()
}

/** Removes the homes of processes that were killed. */
export function sweepTemporaryHomes(): void {
  for (const folder of [tmpdir(), MEMORY].filter((path) => existsSync(path))) {
    for (const name of readdirSync(folder)) {
      const pid = new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1]
      if (pid !== undefined && !isAlive(Number(pid))) removeHome(join(folder, name))
    }
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
