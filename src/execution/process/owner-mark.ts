/**
 * The mark by which processes are found that have outlived the one they belong to: a variable in the environment that
 * they were started with, which the kernel shows to others. A command host carries the mark of its server, and what it
 * starts carries the mark of the host. On disk, a host's folders bear the same name. What a host has forked, and has
 * not begun its program yet, shows what the host itself was started with: by a tag that no other process has.
 *
 * What must hold: a process counts as left behind only when its mark names this home and an owner that is seen to be
 * gone. Numbers of another PID namespace (of a container) say nothing here. Where there is no /proc (macOS), nothing is
 * marked and nothing is found.
 */
import { readlinkSync, statSync } from 'node:fs'
import { randomHex } from '../../platform/random.ts'
import { isRunning, listPids, readEnvironment, readProcess, type ProcessEntry } from './process-tree.ts'

/** What the owner adds to the environment of a process that it starts. */
export type OwnerMark = Readonly<Record<string, string>>

const VARIABLE = 'FACTOTUM_OWNER'
const TAG = 'FACTOTUM_TAG'
const NAME = /^(?<home>\d+\.\d+)_(?<namespace>\d+)-(?<pid>\d+)-(?<startTicks>\d+)$/

/** `ownerPid` runs now, for the server of this home. */
export function markOf(home: string, ownerPid: number): OwnerMark {
  const name = ownerName(home, ownerPid)
  return name === null ? {} : { [VARIABLE]: name }
}

/** In the environment of one process that starts others, which are started without it. */
export function newTag(): OwnerMark {
  return { [TAG]: randomHex(16) }
}

/** What no other process of this machine is or was called; null where it cannot be known. */
export function ownerName(home: string, ownerPid: number): string | null {
  const namespace = ownNamespace()
  const owner = readProcess(ownerPid)
  if (namespace === null || owner === null) return null
  return `${homeName(home)}_${namespace}-${owner.pid}-${owner.startTicks}`
}

/** By device and inode: one folder may have several paths. */
export function homeName(home: string): string {
  const { dev, ino } = statSync(home)
  return `${dev}.${ino}`
}

/** GONE is certain; ELSEWHERE: not to be known from here. */
export function stateOfOwner(name: string): 'RUNNING' | 'GONE' | 'ELSEWHERE' {
  const owner = NAME.exec(name)?.groups
  if (owner === undefined || owner['namespace'] !== ownNamespace()) return 'ELSEWHERE'
  const pid = Number(owner['pid'])
  const isSame = readProcess(pid)?.startTicks === Number(owner['startTicks'])
  return isSame && isRunning(pid) ? 'RUNNING' : 'GONE'
}

/**
 * What runs with one of these marks, wherever it has moved in the tree of processes; of a tag also what its process has
 * forked and has not begun its program.
 */
export function findMarked(...marks: readonly OwnerMark[]): readonly ProcessEntry[] {
  const variables = new Set(marks.flatMap((mark) => Object.entries(mark)).map(([name, value]) => `${name}=${value}`))
  const isMarked = (pid: number): boolean => readEnvironment(pid).some((one) => variables.has(one))
  return findWhere(isMarked).filter(({ pid }) => isRunning(pid))
}

/** What runs for the owner of this name. */
export function findOwnedBy(name: string): readonly ProcessEntry[] {
  return findMarked({ [VARIABLE]: name })
}

/** What runs for this home and has outlived its owner. */
export function findLeftBehind(home: string): readonly ProcessEntry[] {
  const ofHome = `${homeName(home)}_`
  return findWhere((pid) => {
    const name = markOn(pid)
    return pid !== process.pid && name?.startsWith(ofHome) === true && stateOfOwner(name) === 'GONE'
  })
}

/**
 * The processes that pass, of which most do not: only of those that do is it read when they began. They are asked once
 * more behind that, as the number may have become that of another one.
 */
function findWhere(passes: (pid: number) => boolean): readonly ProcessEntry[] {
  return listPids()
    .filter(passes)
    .flatMap((pid) => readProcess(pid) ?? [])
    .filter(({ pid }) => passes(pid))
}

function markOn(pid: number): string | null {
  const entry = readEnvironment(pid).find((variable) => variable.startsWith(`${VARIABLE}=`))
  return entry === undefined ? null : entry.slice(VARIABLE.length + 1)
}

/** The PID namespace of this process; null where there is none. */
function ownNamespace(): string | null {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? null
  } catch {
    return null
  }
}
