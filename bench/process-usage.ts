/** What a process has used, as Linux counts it. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** CPU time of all threads of a process so far. */
export function cpuMs(pid: number): number {
  let ns = 0
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    ns += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0])
  }
  return ns / 1e6
}

/** Resident memory of a process. */
export function residentBytes(pid: number): number {
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kib) * 1024
}

/** Of a clock tick in /proc/<pid>/stat, on every machine that we know. */
const TICK_MS = 10

/** CPU time so far of the PostgreSQL whose data are below `folder`: of its processes, and of those that have ended. */
export function postgresCpuMs(folder: string): number {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isPostgresIn(folder, name))
  return pids.map(ticksOf).reduce((sum, ticks) => sum + ticks * TICK_MS, 0)
}

function isPostgresIn(folder: string, pid: string): boolean {
  try {
    return (
      readlinkSync(`/proc/${pid}/cwd`).startsWith(folder) && readFileSync(`/proc/${pid}/comm`, 'utf8') === 'postgres\n'
    )
  } catch {
    return false // it has ended meanwhile
  }
}

/** Its own, and of the children that it has waited for. */
function ticksOf(pid: string): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0)
  } catch {
    return 0 // it has ended meanwhile, and counts with its parent
  }
}
