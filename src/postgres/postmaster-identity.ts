/**
 * Whose number stands in postmaster.pid. After a power cut, in a copied home, or in a container that counts its
 * processes from the same number each time, it may have gone to another program, or to the PostgreSQL of another home.
 */
import { basename } from 'node:path'
import type { Cluster } from './postgres-cluster.ts'
import type { Postmaster } from './postmaster.ts'
import { folderId, readProcessFacts, type ProcessFacts } from './process-facts.ts'

/** Between a process's start and the moment that it takes for its own. */
const TOLERANCE_S = 5

/**
 * Whether process `pid` is the server of `cluster`. One that has ended is not. One whose facts this process may not
 * read is taken for the server.
 */
export async function isServerOf(cluster: Pick<Cluster, 'data'>, postmaster: Postmaster): Promise<boolean> {
  const facts = await readProcessFacts(postmaster.pid)
  return facts === null || isServer(facts, { ...postmaster, data: cluster.data, folder: await folderId(cluster.data) })
}

interface Server extends Pick<Postmaster, 'startedAtS'>, Pick<Cluster, 'data'> {
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
