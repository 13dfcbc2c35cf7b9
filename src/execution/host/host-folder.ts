/**
 * What a command host makes on disk for itself, and what it leaves when it is killed: its named pipes, the homes of
 * skills, and the workspace and file of a probe. Each is named after its host, so that others know when it is of no use
 * any more.
 */
import { lstatSync, mkdtempSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf } from '../../core/errors.ts'
import type { Clock } from '../../platform/clock.ts'
import { randomHex } from '../../platform/random.ts'
import { endProcesses } from '../process/end-processes.ts'
import { findLeftBehind, homeName, ownerName, stateOfOwner } from '../process/owner-mark.ts'
import { removeWorkspace, sessionsFolder } from '../workspace/workspace.ts'

interface SweepOptions {
  readonly home: string
  readonly clock: Clock
  /** For the log. */
  readonly onProblem: (message: string) => void
}

const PREFIX = 'factotum-host-'
/** A host has no other TMPDIR. */
const TEMPORARY = '/tmp'
/**
 * What a host of another container has left cannot be distinguished from what it uses; hosts do not leave theirs
 * untouched for so long.
 */
const ELSEWHERE_AGE_MS = 7 * 24 * 3_600_000

/** The folder of this host, for this home. Throws when the disk does not take it. */
export function makeHostFolder(home: string): string {
  return mkdtempSync(join(TEMPORARY, `${nameFor(home)}-`))
}

/** A name in the home itself, for as long as a probe takes. */
export function probeName(home: string): string {
  return `${nameFor(home)}-${randomHex(8)}`
}

/** Where the files of the sandbox are (`sandbox-files.ts`); absent until the first probe. */
export function sandboxFolder(home: string): string {
  return join(home, 'sandbox')
}

/**
 * Ends what runs for this home although its host is gone, and removes what such hosts have left on disk. Repeatable,
 * also beside other servers. Never rejects: what cannot be done now is logged, and found again by the next sweep.
 */
export async function sweepLeftBehind({ home, clock, onProblem }: SweepOptions): Promise<void> {
  try {
    const found = findLeftBehind(home)
    if (found.length > 0) {
      onProblem(`${found.length} processes of command hosts that are gone were still running: they are ended.`)
      const isGone = await endProcesses(() => findLeftBehind(home), clock)
      if (!isGone) onProblem('Processes of a command host that is gone do not end although they were killed.')
    }
    for (const path of findRemains(home, clock.now().getTime())) await removeWorkspace(path)
  } catch (error) {
    onProblem(`What a command host has left could not be removed: ${messageOf(error)}`)
  }
}

function nameFor(home: string): string {
  return `${PREFIX}${ownerName(home, process.pid) ?? `${homeName(home)}_${process.pid}`}`
}

function findRemains(home: string, nowMs: number): readonly string[] {
  const ofHome = `${PREFIX}${homeName(home)}_`
  return [TEMPORARY, sessionsFolder(home), sandboxFolder(home)].flatMap((folder) =>
    namesIn(folder)
      .filter((name) => name.startsWith(ofHome))
      .map((name) => join(folder, name))
      .filter((path) => isRemains(path, nowMs)),
  )
}

/** Any user of the machine may make a folder with such a name in /tmp: only those of our account are ours. */
function isRemains(path: string, nowMs: number): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return false
  const owner = path.slice(path.lastIndexOf(PREFIX) + PREFIX.length, path.lastIndexOf('-'))
  const state = stateOfOwner(owner)
  if (path.startsWith(`${TEMPORARY}/${PREFIX}`) && stats.uid !== process.geteuid?.()) return false
  return state === 'GONE' || (state === 'ELSEWHERE' && nowMs - stats.mtimeMs > ELSEWHERE_AGE_MS)
}

function namesIn(folder: string): readonly string[] {
  return lstatSync(folder, { throwIfNoEntry: false }) === undefined ? [] : readdirSync(folder)
}
