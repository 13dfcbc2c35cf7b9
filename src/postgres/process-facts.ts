/**
 * What the machine shows of any user's process: its command line, since when it runs, and the folder that it works in.
 */
import { readFile, stat } from 'node:fs/promises'
import { hasCode } from '../platform/error-code.ts'
import { runPostgresProgram } from './postgres-program.ts'

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

/** Null: this process may not read them. */
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
export async function folderId(path: string): Promise<string | null> {
  return await stat(path, { bigint: true }).then(
    ({ dev, ino }) => `${dev} ${ino}`,
    () => null,
  )
}

async function readStart(pid: number): Promise<number | null> {
  const [own, machine] = await Promise.all([readFile(`/proc/${pid}/stat`, 'utf8'), readFile('/proc/stat', 'utf8')])
  // Behind the name, which may hold spaces and brackets, come the fields from the third on; the start is the 22nd.
  const ticks = own.slice(own.lastIndexOf(')') + 2).split(' ')[19]
  const boot = /^btime (\d+)$/m.exec(machine)?.[1]
  return ticks === undefined || boot === undefined ? null : Number(boot) + Number(ticks) / TICKS_PER_S
}

async function runPs(pid: number, what: 'command' | 'lstart'): Promise<string> {
  return (await runPostgresProgram('/bin/ps', ['-o', `${what}=`, '-p', String(pid)], { cwd: '/', account: null }))
    .output
}
