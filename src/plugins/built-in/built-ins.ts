/**
 * The plugins that come with Factotum. They have the interface of all others, and no way to the server beside it, but
 * for two that only switch a part of it (`switch-plugins.ts`).
 */
import { VERSION } from '../../platform/version.ts'
import type { Clock } from '../../platform/clock.ts'
import { activityPlugin } from './activity-plugin.ts'
import { contextPlugin } from './context-plugin.ts'
import { delegationPlugin, mcpPlugin, type ServerPart } from './switch-plugins.ts'

/** Such a plugin. */
export interface BuiltIn {
  readonly name: string
  readonly origin: 'BUILT_IN'
  /** Made by `definePlugin`. */
  readonly definition: unknown
  /** Until an admin says otherwise. */
  readonly enabledAtFirst: boolean
  /** It changes with the version of Factotum alone. */
  readonly stamp: string
}

/** By name. */
export type BuiltIns = ReadonlyMap<string, BuiltIn>

/** The parts of the server that are switched as plugins. */
export type ServerParts = Readonly<Record<'delegation' | 'mcp', ServerPart>>

/** Of one process. `home`: FACTOTUM_HOME. */
export function builtIns(home: string, parts: ServerParts, clock: Clock): BuiltIns {
  const all: readonly Pick<BuiltIn, 'name' | 'definition' | 'enabledAtFirst'>[] = [
    { name: 'activity', definition: activityPlugin(clock), enabledAtFirst: true },
    { name: 'context', definition: contextPlugin(home), enabledAtFirst: false },
    { name: 'delegation', definition: delegationPlugin(parts.delegation), enabledAtFirst: true },
    { name: 'mcp', definition: mcpPlugin(parts.mcp), enabledAtFirst: true },
  ]
  return new Map(all.map((one) => [one.name, { ...one, origin: 'BUILT_IN', stamp: VERSION }]))
}
