/**
 * The processes of a command, read from /proc. Synchronous on purpose, but for a measurement: between seeing a process
 * and killing it there must be no time for its number to be used again. Where there is no /proc (macOS) the answers are
 * empty.
 */
import { readdirSync, readFileSync, statSync, type Stats } from 'node:fs'
import { readFile } from 'node:fs/promises'

/** A process as of one read of /proc. Its number alone may by now be that of another one. */
export interface ProcessEntry {
  readonly pid: number
  readonly parentPid: number
  /** One letter, see proc(5): Z and X have ended. */
  readonly state: string
  /** When it was started, since the machine was: with its number, it names a process for good. */
  readonly startTicks: number
}

/** Of `stat`, counted from the state on. */
const START_FIELD = 19

/** The process with this number, or null when there is none. */
export function readProcess(pid: number): ProcessEntry | null {
  const text = readProcFile(`/proc/${pid}/stat`)
  if (text === null) return null
  // "7 (name) S 1 …": a name may itself hold spaces and brackets, so count from its last one.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [state = '', parentPid = ''] = fields
  return { pid, parentPid: Number(parentPid), state, startTicks: Number(fields[START_FIELD]) }
}

/** The user as whom it runs, seen from here; null when it has ended. */
export function userOfProcess(pid: number): number | null {
  const uid = /^Uid:\s+(\d+)/m.exec(readProcFile(`/proc/${pid}/status`) ?? '')?.[1]
  return uid === undefined ? null : Number(uid)
}

/** Whether it runs. A zombie, which has ended and was not reaped yet, does not. */
export function isRunning(pid: number): boolean {
  const found = readProcess(pid)
  return found !== null && found.state !== 'Z' && found.state !== 'X'
}

/** Children, children's children and so on, as far as their parents still run. */
export function findDescendants(pid: number): readonly number[] {
  const children = Map.groupBy(listProcesses(), (found) => found.parentPid)
  const descendants: number[] = []
  const open = [pid]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const pids = (children.get(next) ?? []).map((child) => child.pid)
    descendants.push(...pids)
    open.push(...pids)
  }
  return descendants
}

/**
 * Processes younger than `pid` that were started with this variable in their environment, wherever they have moved in
 * the tree since. Only the young ones are examined: to read what every process of a machine was started with takes
 * long.
 */
export function findYoungerByEnvironment(pid: number, variable: string): readonly number[] {
  const newest = Number(/\d+\s*$/.exec(readProcFile('/proc/loadavg') ?? '')?.[0])
  const hasWrapped = !(newest >= pid) // the numbers have started again from below, so all may be younger
  return listPids()
    .filter((candidate) => candidate > pid || (hasWrapped && candidate !== pid))
    .filter((candidate) => readEnvironment(candidate).includes(variable))
}

/** The variables that it was started with, as `NAME=value`; none when it has ended or may not be read. */
export function readEnvironment(pid: number): readonly string[] {
  return (readProcFile(`/proc/${pid}/environ`) ?? '').split('\0')
}

/**
 * Whether nothing is left of the namespace whose first process is `initPid`, or nothing but that process, which is
 * bubblewrap's own and about to end: a process whose parent is gone becomes its child.
 */
export function isNamespaceEmpty(initPid: number): boolean {
  const children = readProcFile(`/proc/${initPid}/task/${initPid}/children`)
  return children === null ? !isRunning(initPid) : children.trim() === ''
}

/**
 * Memory of all processes in the namespace whose first process is `initPid`, in bytes; 0 when it has ended.
 * Its own /proc lists them all, whatever their parents are. What several processes have in common is counted for each:
 * never too little. With it go their page tables, by which one that maps much takes memory that it does not have.
 */
export function estimateNamespaceMemory(initPid: number): number {
  const folder = processesOf(initPid)
  return listNumbers(folder).reduce((sum, pid) => {
    const status = readProcFile(`${folder}/${pid}/status`) ?? ''
    return sum + kibibytesIn(status, 'VmRSS') + kibibytesIn(status, 'VmPTE')
  }, 0)
}

/**
 * As `estimateNamespaceMemory`, but what several processes have in common is shared out: the code of ten node processes
 * counts once. The kernel walks through all that is mapped, which may take it seconds, so this process goes on
 * meanwhile.
 */
export async function measureNamespaceMemory(initPid: number): Promise<number> {
  const folder = processesOf(initPid)
  let sum = 0
  for (const pid of listNumbers(folder)) {
    const status = readProcFile(`${folder}/${pid}/status`) ?? ''
    const rollup = await readFile(`${folder}/${pid}/smaps_rollup`, 'utf8').catch(nullWhenGone)
    const own = rollup === null ? kibibytesIn(status, 'VmRSS') : kibibytesIn(rollup, 'Pss')
    sum += own + kibibytesIn(status, 'VmPTE')
  }
  return sum
}

/** /proc as the namespace has it, with all that run there. */
function processesOf(initPid: number): string {
  return `/proc/${initPid}/root/proc`
}

/**
 * Bytes on disk of files that processes of the namespace hold open although their last name is deleted: no tree shows
 * them.
 */
export function measureDeletedFiles(initPid: number): number {
  const folder = processesOf(initPid)
  const sizes = new Map<string, number>()
  for (const pid of listNumbers(folder)) {
    for (const fd of listNumbers(`${folder}/${pid}/fd`)) {
      const stats = statProcFile(`${folder}/${pid}/fd/${fd}`)
      if (stats?.isFile() === true && stats.nlink === 0) sizes.set(`${stats.dev}:${stats.ino}`, stats.blocks * 512)
    }
  }
  return sizes.values().reduce((sum, size) => sum + size, 0)
}

/** In bytes; 0 when the text does not have it. */
function kibibytesIn(text: string, name: 'VmRSS' | 'VmPTE' | 'Pss'): number {
  return 1024 * Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0)
}

/** Sends SIGKILL (to a whole group for a negative number); no error when it has ended or is not ours to end. */
export function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if (!hasCode(error, 'ESRCH') && !hasCode(error, 'EPERM')) throw error
  }
}

/** All processes that this one can see; those that end meanwhile are left out. */
export function listProcesses(): readonly ProcessEntry[] {
  return listPids().flatMap((pid) => readProcess(pid) ?? [])
}

/** The numbers of all processes that this one can see. */
export function listPids(): readonly number[] {
  return listNumbers('/proc')
}

/** Names that are numbers: processes, open files. */
function listNumbers(folder: string): readonly number[] {
  try {
    return readdirSync(folder)
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
  } catch (error) {
    if (isGone(error)) return []
    throw error
  }
}

/** Null when the process has ended meanwhile or belongs to another user. */
function readProcFile(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    return nullWhenGone(error)
  }
}

function nullWhenGone(error: unknown): null {
  if (isGone(error)) return null
  throw error
}

function statProcFile(path: string): Stats | null {
  try {
    return statSync(path)
  } catch (error) {
    if (isGone(error)) return null
    throw error
  }
}

function isGone(error: unknown): boolean {
  return ['ENOENT', 'ESRCH', 'EACCES', 'EPERM', 'EINVAL', 'ENOTDIR'].some((code) => hasCode(error, code))
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
