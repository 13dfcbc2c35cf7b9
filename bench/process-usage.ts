/** What a process has used, as Linux counts it. */
import { readdirSync, readFileSync } from 'node:fs'

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
