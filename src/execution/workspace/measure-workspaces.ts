/**
 * Measures the workspaces that were never measured, as a periodic job (app.ts): those from before there were quotas,
 * and those whose command host died behind a command. All others are measured behind each command.
 */
import { lstatSync } from 'node:fs'
import type { Database } from '../../store/database.ts'
import { findUnmeasured, recordWorkspaceBytes } from '../../store/files/workspace-usage.ts'
import { workspacePath } from './workspace.ts'
import { measureUsage } from './workspace-quota.ts'

/** As a job: its name, and when it runs. */
export const MEASURE_WORKSPACES = { name: 'measure-workspaces', cron: '47 * * * *' } as const

const BATCH = 500

/**
 * Repeatable, also by several processes at once. Rejects when the database fails or a workspace cannot be measured; the
 * next run goes on.
 */
export async function measureWorkspaces(
  { database, home }: { readonly database: Database; readonly home: string },
  signal: AbortSignal,
): Promise<void> {
  for (let after = ''; !signal.aborted;) {
    const ids = await findUnmeasured(database, after, BATCH)
    for (const sessionId of ids) {
      if (signal.aborted) return
      const workspace = workspacePath(home, sessionId)
      if (lstatSync(workspace, { throwIfNoEntry: false }) === undefined) continue
      const { bytes } = await measureUsage(workspace)
      await recordWorkspaceBytes(database, { sessionId, bytes })
    }
    if (ids.length < BATCH) return
    after = ids.at(-1) ?? after
  }
}
