/**
 * What a program of role USER may make of its workspace: as much as the quota of who opened the session leaves
 * (config/schema/quotas.ts), by what their workspaces had when they were measured last, which is behind each command.
 */
import { openerQuota } from '../../config/schema/quotas.ts'
import type { Role } from '../../core/identity.ts'
import type { CommandOutcome, WorkspaceAllowance } from '../../execution/command.ts'
import { DEFAULT_COMMAND_LIMITS } from '../../execution/command-limits.ts'
import { findLargestWorkspaces, readWorkspaceUsage } from '../../store/files/workspace-usage.ts'
import type { TurnContext } from '../turn-context.ts'

/** What is left, in bytes, and of whose quota. */
export interface Allowance extends WorkspaceAllowance {
  readonly opener: string
  readonly quotaBytes: number
  readonly usedBytes: number
}

const SHOWN = 3

/** Null: there is no quota. */
export async function workspaceAllowance(
  { database, config, sessionId }: Pick<TurnContext, 'database' | 'config' | 'sessionId'>,
  role: Role,
): Promise<Allowance | null> {
  if (role === 'ADMIN') return null
  const usage = await readWorkspaceUsage(database, sessionId)
  if (usage === null) return null
  const { opener, ownBytes, otherBytes } = usage
  const { workspaceBytes: quotaBytes } = openerQuota(config.current(), opener)
  if (quotaBytes === null) return null
  const usedBytes = ownBytes + otherBytes
  return { opener, quotaBytes, usedBytes, maxBytes: quotaBytes - otherBytes, mayOnlyShrink: usedBytes > quotaBytes }
}

/** What the output says when the workspace's limit or the quota kept the program from writing; null: none did. */
export async function explainAllowance(
  { database }: Pick<TurnContext, 'database'>,
  allowance: Allowance | null,
  outcome: CommandOutcome,
): Promise<string | null> {
  if ('isWorkspaceFull' in outcome) return explainLimit(outcome.kind)
  const wasEnded = outcome.kind === 'killed' && outcome.cause === 'disk'
  if (allowance === null || !(allowance.mayOnlyShrink || wasEnded)) return null
  const { opener, quotaBytes, usedBytes, mayOnlyShrink } = allowance
  const largest = await findLargestWorkspaces(database, opener, SHOWN)
  const sessions = largest.map(({ sessionId, bytes }) => `${sessionId} (${inMib(bytes)})`).join(', ')
  const consequence = mayOnlyShrink ? '; so this program could delete files, but write none' : ''
  return (
    `The workspaces of the sessions that ${opener} opened may have ${inMib(quotaBytes)} together, and had ${inMib(usedBytes)}${consequence}. ` +
    `Delete files, or sessions that are no longer needed, or ask an administrator for more. The largest: ${sessions}.`
  )
}

function explainLimit(kind: CommandOutcome['kind']): string {
  const { workspaceBytes, workspaceFileCount } = DEFAULT_COMMAND_LIMITS
  const consequence = kind === 'killed' ? '' : ' This one had more, so this program could delete files, but write none.'
  return `A workspace may have ${inMib(workspaceBytes)} and ${workspaceFileCount} files.${consequence} Delete those that are not needed.`
}

/** For people. */
export function inMib(bytes: number): string {
  return `${(bytes / (1024 * 1024)).toFixed(1)} MiB`
}
