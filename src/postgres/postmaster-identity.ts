/**
 * Whose number stands in postmaster.pid. After a power cut, in a copied home, or in a container that counts its
 * processes from the same number each time, it may have gone to another program, or to the PostgreSQL of another home.
 */
import { readFile, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { hasCode } from '../platform/error-code.ts'
import type { Cluster } from './postgres-cluster.ts'
import { runPostgresProgram } from './postgres-program.ts'

/** Between a process's start and the moment that it takes for its own. */
const TOLERANCE_S = 5

/** As postmaster.pid names it. */
interface NamedProcess {
  readonly pid: number
  /** In seconds since 1970. */
  readonly startedAtS: number
}

/**
 * Whether process `pid` is the server of `cluster`. One that has ended is not. One whose facts this process may not
 * read is taken for the server.
 */
export async function isServerOf(cluster: Pick<Cluster, 'data'>, postmaster: NamedProcess): Promise<boolean> {
  const facts = await readProcessFacts(postmaster.pid)
  return facts === null || isServer(facts, { ...postmaster, data: cluster.data, folder: await folderId(cluster.data) })
}

interface Server extends Pick<NamedProcess, 'startedAtS'>, Pick<Cluster, 'data'> {
  readonly folder: string | null
}

/**
 * A postgres that works in the data directory, as the server always does. Where that cannot be seen: one that was
 * started for it and began when postmaster.pid says.
 */
export function isServer(facts: ProcessFacts, { data, folder, startedAtS }: Server): boolean {
  const { command } = facts
  if (basename(command[0] ?? '') !== 'postgres') return false
  if (facts.folder !== null && folder !== null) return facts.folder === folder
  const isNamed = command[command.indexOf('-D') + 1] === data
  return isNamed && facts.startedAtS !== null && Math.abs(facts.startedAtS - startedAtS) <= TOLERANCE_S
}

export interface ProcessFacts {
  /** Empty for one that has ended, collected by its parent or not. */
  readonly command: readonly string[]
  /** In seconds since 1970, as the clock stands now; null: it has ended. */
  readonly startedAtS: number | null
  /** Which folder it is, whatever its name (`folderId`); null: this cannot be seen here. */
  readonly folder: string | null
}

/** Units of the start time in /proc: USER_HZ, which is 100 on every Linux. */
const TICKS_PER_S = 100

/**
 * What the machine shows of any user's process: its command line, since when it runs, and the folder that it works in.
 * Null: this process may not read them.
 */
export async function readProcessFacts(pid: number): Promise<ProcessFacts | null> {
  if (process.platform !== 'linux') {
    const [command, start] = await Promise.all([runPs(pid, 'command'), runPs(pid, 'lstart')])
    return { command: command.split(' '), startedAtS: start === '' ? null : Date.parse(start) / 1000, folder: null }
  }
  try {
    const command = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0')
    return { command, startedAtS: await readStart(pid), folder: await folderId(`/proc/${pid}/cwd`) }
  } catch (error) {
    return hasCode(error, 'ENOENT', 'ESRCH') ? { command: [], startedAtS: null, folder: null } : null
  }
}

/** The same for all names of one folder; null: it is not there, or not to be seen. */
async function folderId(path: string): Promise<string | null> {
  return await stat(path, { bigint: true }).then(
    ({ dev, ino }) => `${dev} ${ino}`,
    () => null,
  )
}

async function readStart(pid: number): Promise<number | null> {
  const [own, machine] = await Promise.all([readFile(`/proc/${pid}/stat`, 'utf8'), readFile('/proc/stat', 'utf8')])
  const ticks = startTicksIn(own)
  const boot = /^btime (\d+)$/m.exec(machine)?.[1]
  return ticks === undefined || boot === undefined ? null : Number(boot) + Number(ticks) / TICKS_PER_S
}

/** Of `/proc/<pid>/stat`: when the process began, in ticks since the machine did. */
export function startTicksIn(stat: string): string | undefined {
  // Behind the name, which may hold spaces and brackets, come the fields from the third on; the start is the 22nd.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
}

async function runPs(pid: number, what: 'command' | 'lstart'): Promise<string> {
  return (await runPostgresProgram('/bin/ps', ['-o', `${what}=`, '-p', String(pid)], { cwd: '/', account: null }))
    .output
}
