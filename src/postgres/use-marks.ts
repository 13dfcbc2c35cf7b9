/**
 * Which processes use the embedded PostgreSQL of a home: each leaves a file, `pg/used-by-<pid>`, with the time of its
 * start, since another program may have that number one day. They are for a process that exits without leaving, which
 * can wait for no answer of the server; else the lock decides (embedded-postgres.ts).
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isAlive } from './postgres-program.ts'
import { startTicksIn } from './postmaster-identity.ts'

const PREFIX = 'used-by-'

/** On repeat nothing changes. Where the disk takes no file, another process that exits is not kept from stopping it. */
export function markUse(directory: string): void {
  quietly(() => writeFileSync(pathOf(directory, process.pid), startOf(process.pid), { mode: 0o600 }))
}

/** No error if there is no mark. */
export function endUse(directory: string): void {
  quietly(() => rmSync(pathOf(directory, process.pid), { force: true }))
}

/** Removes the marks of processes that were killed, too. */
export function isUsedByOthers(directory: string): boolean {
  const others = pidsIn(directory).filter((pid) => pid !== process.pid)
  const gone = others.filter((pid) => !isStillThere(directory, pid))
  for (const pid of gone) quietly(() => rmSync(pathOf(directory, pid), { force: true }))
  return others.length > gone.length
}

/** Where no start was written or is shown, as without /proc, any process of that number counts. */
function isStillThere(directory: string, pid: number): boolean {
  if (!isAlive(pid)) return false
  const [marked, found] = [quietly(() => readFileSync(pathOf(directory, pid), 'utf8')) ?? '', startOf(pid)]
  return marked === '' || found === '' || marked === found
}

/** Empty: this machine does not show it. */
function startOf(pid: number): string {
  return quietly(() => startTicksIn(readFileSync(`/proc/${pid}/stat`, 'utf8'))) ?? ''
}

function pidsIn(directory: string): readonly number[] {
  const names = quietly(() => readdirSync(directory)) ?? []
  return names.filter((name) => name.startsWith(PREFIX)).map((name) => Number(name.slice(PREFIX.length)))
}

function pathOf(directory: string, pid: number): string {
  return join(directory, `${PREFIX}${pid}`)
}

/** Null: the home is gone, full or read-only, which others have to say. */
function quietly<Result>(action: () => Result): Result | null {
  try {
    return action()
  } catch {
    return null
  }
}
