/** Where the disks of a home may fill up or go away: the home, and its folder of workspaces where that is a mount. */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'

export interface HomeDisk {
  /** The folder of the home that lies on it. */
  readonly path: string
  /** The same for as long as it is the same folder. */
  readonly identity: string
}

/** The disk of the home first. Rejects when the home is not there; the workspaces may not be, yet. */
export async function findHomeDisks(home: string): Promise<readonly HomeDisk[]> {
  const own = await findDisk(home)
  const workspaces = await findDisk(join(home, 'sessions')).catch(() => null)
  const isMount = workspaces !== null && workspaces.device !== own.device
  return isMount ? [own, workspaces] : [own]
}

/** What is there now. */
export async function identify(path: string): Promise<string> {
  return (await findDisk(path)).identity
}

async function findDisk(path: string): Promise<HomeDisk & { readonly device: bigint }> {
  const { dev, ino } = await stat(path, { bigint: true })
  return { path, identity: `${dev} ${ino}`, device: dev }
}
