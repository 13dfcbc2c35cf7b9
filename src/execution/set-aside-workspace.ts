/**
 * How the workspace of a deleted session goes: first out of the way, in one step and while the session's row is still locked, so
 * that whoever opens a session of the same id finds none of it; then for good. What a process that died in between has left is
 * swept up by a periodic job (app.ts).
 */
import { readdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { randomHex } from '../platform/id.ts'
import type { Logger } from '../platform/logger.ts'
import { hasCode } from '../store/error-code.ts'
import { removeWorkspace, sessionsFolder, workspacePath } from './workspace.ts'

/** As a job: its name, and when it runs. */
export const SWEEP_WORKSPACES = { name: 'sweep-workspaces', cron: '37 * * * *' } as const

/** No workspace's name begins like this. */
const PREFIX = '.deleted-'

/** The name under which the workspace lies now, in the folder of workspaces; null when there is none. No command may be running in it. */
export async function setAsideWorkspace(home: string, sessionId: string): Promise<string | null> {
  const name = `${PREFIX}${randomHex(16)}`
  try {
    await rename(workspacePath(home, sessionId), join(sessionsFolder(home), name))
    return name
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null
    throw error
  }
}

/** `name`: of a workspace that was set aside. No error if it is gone already. */
export function removeSetAside(home: string, name: string): Promise<void> {
  return removeWorkspace(join(sessionsFolder(home), name))
}

/** Repeatable, also by several processes at once, and while what it finds is being removed. Rejects when the disk fails. */
export async function sweepWorkspaces(
  { home, logger }: { readonly home: string; readonly logger: Logger },
  signal: AbortSignal,
): Promise<void> {
  const names = (await readdir(sessionsFolder(home))).filter((name) => name.startsWith(PREFIX))
  for (const name of names) {
    if (signal.aborted) return
    await removeSetAside(home, name)
  }
  if (names.length > 0) logger.info({ workspaces: names.length }, 'workspaces of deleted sessions were removed')
}
