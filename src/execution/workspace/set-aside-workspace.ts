/**
 * How the workspaces of a deleted session go: first out of the way, in one step and while the session's row is still
 * locked, so that a session that is opened under the same id finds none of it; then for good. What a process that died
 * in between has left is swept up by a periodic job (app.ts).
 */
import { existsSync } from 'node:fs'
import { readdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { randomHex } from '../../platform/random.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Logger } from '../../platform/logger.ts'
import { must } from '../../platform/must.ts'
import { hasCode, reasonOf } from '../../platform/error-code.ts'
import { explainDisk } from './explain-disk.ts'
import { findAbandoned } from './staged-upload.ts'
import { folderNames, removeWorkspace, sessionsFolder, workspaceName } from './workspace.ts'

/** As a job: its name, and when it runs. */
export const SWEEP_WORKSPACES = { name: 'sweep-workspaces', cron: '37 * * * *' } as const

/** No workspace's name begins like this. */
const PREFIX = '.deleted-'

/**
 * The name under which the session's folders lie now, beside the workspaces; null when there are none. No command may
 * be running in them. Rejects with STORAGE_FULL (retry: backoff) where the disk takes no changes.
 */
export async function setAsideWorkspace(home: string, sessionId: string): Promise<string | null> {
  const aside = `${PREFIX}${randomHex(16)}`
  const targets = folderNames(aside)
  let isFound = false
  for (const [index, name] of folderNames(workspaceName(sessionId)).entries()) {
    const target = must(targets[index], 'as many names as folders')
    if (await renameIfThere(join(sessionsFolder(home), name), join(sessionsFolder(home), target))) isFound = true
  }
  return isFound ? aside : null
}

/** Whether the session has left anything there. */
export function hasWorkspace(home: string, sessionId: string): boolean {
  return folderNames(workspaceName(sessionId)).some((name) => existsSync(join(sessionsFolder(home), name)))
}

async function renameIfThere(path: string, target: string): Promise<boolean> {
  try {
    await rename(path, target)
    return true
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false
    throw explainDisk(error, 'The disk of this server takes no changes; nothing was removed.')
  }
}

interface Remover {
  readonly home: string
  readonly logger: Logger
}

/**
 * `name`: of a workspace that was set aside. No error if it is gone already. Never rejects: its session is gone, so
 * what cannot be removed now is logged and left to the sweep.
 */
export async function removeSetAside(remover: Remover, name: string): Promise<void> {
  for (const folder of folderNames(name)) await removeOrLog(remover, folder)
}

/** Whether it is gone. What keeps it may hold for this folder alone, such as something that is mounted in it. */
async function removeOrLog({ home, logger }: Remover, folder: string): Promise<boolean> {
  const path = join(sessionsFolder(home), folder)
  try {
    await removeWorkspace(path)
    return true
  } catch (error) {
    const text =
      'what a session has left on disk could not be removed; retrying every hour (unmount what is mounted in it)'
    logger.error({ path, error: reasonOf(error) }, text)
    return false
  }
}

/**
 * Repeatable, also by several processes at once, and while what it finds is being removed. Rejects when the folder of
 * all workspaces cannot be read; what cannot be removed keeps nothing else.
 */
export async function sweepWorkspaces(
  { hostClock, ...remover }: Remover & { readonly hostClock: Clock },
  signal: AbortSignal,
): Promise<void> {
  const { home, logger } = remover
  const entries = await readdir(sessionsFolder(home))
  const names = entries.filter((name) => name.startsWith(PREFIX))
  let removed = 0
  for (const name of [...names, ...(await findAbandoned({ home, nowMs: hostClock.now().getTime() }, entries))]) {
    if (signal.aborted) return
    if ((await removeOrLog(remover, name)) && names.includes(name)) removed += 1
  }
  if (removed > 0) logger.info({ workspaces: removed }, 'workspaces of deleted sessions were removed')
}
