/**
 * The built-in plugins `delegation` and `mcp`: parts of the server that admins switch like any plugin. What they do is
 * done where tools are called, so that rights, approvals and crashes are those of every tool.
 */
import { definePlugin, type PluginDefinition } from '../../plugin-api/plugin.ts'

/** A part of the server. */
export interface ServerPart {
  on(): void
  off(): Promise<void> | void
}

/** Off: no task is delegated any more; what was delegated before goes on. */
export function delegationPlugin(part: ServerPart): PluginDefinition {
  return definePlugin({
    name: 'delegation',
    version: '1.0.0',
    api: 1,
    title: 'Delegation',
    description:
      'Offers the tool delegation__delegate: a task is given to a session of its own, and its result is reviewed.',
    start: () => part.on(),
    stop: () => part.off(),
  })
}

/** Off: no server of tools runs; those that are configured start when it is on again. */
export function mcpPlugin(part: ServerPart): PluginDefinition {
  return definePlugin({
    name: 'mcp',
    version: '1.0.0',
    api: 1,
    title: 'MCP servers',
    description: 'Runs the servers of [mcp.<name>] in config.toml, and offers their tools.',
    start: () => part.on(),
    stop: () => part.off(),
  })
}
