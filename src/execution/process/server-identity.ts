/**
 * Names a server for those on other machines, too: the boot of its machine, and what it is called there
 * (`owner-mark.ts`). By it a server finds out what has become of another, and of the command hosts of that one.
 */
import { readFileSync } from 'node:fs'
import type { Clock } from '../../platform/clock.ts'
import { endProcesses } from './end-processes.ts'
import { findLeftBehind, findOwnedBy, ownerName, stateOfOwner } from './owner-mark.ts'
import { findDescendants, readProcess, type ProcessEntry } from './process-tree.ts'

/** How long what is ending anyway is waited for; it is searched for again later. */
const WAIT_MS = 500
const POLL_MS = 10

/** Of this process, as the server of `home`; null: this machine does not tell. */
export function identityOfServer(home: string): string | null {
  const boot = readBoot()
  const name = ownerName(home, process.pid)
  return boot === null || name === null ? null : `${boot}/${name}`
}

/** GONE is certain; ELSEWHERE: on another machine, in another container, or unknown. */
export function stateOfServer(identity: string | null): 'RUNNING' | 'GONE' | 'ELSEWHERE' {
  const [boot = '', name = ''] = identity?.split('/') ?? []
  return boot !== '' && boot === readBoot() ? stateOfOwner(name) : 'ELSEWHERE'
}

/**
 * Whether nothing runs any more that a server of this machine has started for `home`. `force`: kills it, stopped or
 * not; without, its hosts get a moment to end it themselves. What has outlived its host is killed in any case.
 */
export async function hasEndedAll(
  identity: string,
  { home, force, clock }: { readonly home: string; readonly force: boolean; readonly clock: Clock },
): Promise<boolean> {
  const name = identity.split('/')[1] ?? ''
  const hostsEnded = force
    ? await endProcesses(() => findOwnedBy(name).flatMap(treeOf), clock)
    : await untilEnded(name, clock)
  return hostsEnded && endProcesses(() => findLeftBehind(home), clock)
}

async function untilEnded(name: string, clock: Clock): Promise<boolean> {
  const deadlineMs = clock.monotonicMs() + WAIT_MS
  while (findOwnedBy(name).length > 0) {
    if (clock.monotonicMs() > deadlineMs) return false
    await clock.sleep(POLL_MS)
  }
  return true
}

function treeOf(root: ProcessEntry): ProcessEntry[] {
  return [root, ...findDescendants(root.pid).flatMap((pid) => readProcess(pid) ?? [])]
}

function readBoot(): string | null {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return null // not Linux, or a /proc that is not shown
  }
}
