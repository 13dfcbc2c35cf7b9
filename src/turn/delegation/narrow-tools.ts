/** The tools of a session that was opened for a delegated task: those that it may call. */
import { MAX_DEPTH, mayCall, NOT_DELEGATED, type DelegationLimits } from '../../core/tool/delegated.ts'
import { DELEGATE } from '../../tools/delegate-tool.ts'
import type { ToolSnapshot } from '../../tools/tool-catalog.ts'

/** The same tools where nothing was delegated; a session at the greatest depth is not offered to delegate. */
export function narrowTools({ tools, problems }: ToolSnapshot, limits: DelegationLimits): ToolSnapshot {
  if (limits === NOT_DELEGATED) return { tools, problems }
  const isOffered = (name: string): boolean =>
    mayCall(limits, name) && (name !== DELEGATE.name || limits.depth < MAX_DEPTH)
  return { tools: new Map([...tools].filter(([name]) => isOffered(name))), problems }
}
