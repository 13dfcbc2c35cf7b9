/** Names of tools and of their sources, and what tools do besides answering. */

/** READ changes nothing that anybody else sees: several may run side by side. Everything else is WRITE. */
export type ToolEffect = 'READ' | 'WRITE'

/** Names of sources that are the server's own. */
export const SKILLS_SOURCE = 'skills'
/**
 * No plugin and no MCP server of others has one of these names, or its tools would read as the server's own, which need
 * no approval, or take the place of a skill.
 */
const RESERVED: ReadonlySet<string> = new Set([
  'activity',
  'context',
  'delegation',
  'exec',
  'factotum',
  'mcp',
  'memory',
  'plugins',
  'session',
  SKILLS_SOURCE,
])
/** As sentences for people list them. */
export const RESERVED_SOURCES = [...RESERVED].map((name) => `"${name}"`).join(', ')
const SEPARATOR = '__'
const MAX_NAME_CHARS = 64
const SOURCE = /^[a-z][a-z0-9-]{0,31}$/
const TOOL = /^[A-Za-z0-9_-]+$/

/** Lower-case letters, digits and "-", beginning with a letter, at most 32. */
export function isSourceName(name: string): boolean {
  return SOURCE.test(name)
}

/** Whether the name is kept for the server itself. */
export function isReservedSource(name: string): boolean {
  return RESERVED.has(name)
}

/** "<source>__<tool>"; null when that is no name that providers of models take, or could be taken for another. */
export function toolName(source: string, tool: string): string | null {
  const name = `${source}${SEPARATOR}${tool}`
  const isPlain = TOOL.test(tool) && !tool.startsWith('_')
  return isSourceName(source) && isPlain && name.length <= MAX_NAME_CHARS ? name : null
}

/** The part of a tool's name before "__"; '' where there is none. */
export function toolSourceOf(name: string): string {
  return name.slice(0, Math.max(0, name.indexOf(SEPARATOR)))
}

/** Whether a pattern of the configuration ("weather__*", "*") names the tool; "*" stands for any characters. */
export function matchesTool(pattern: string, name: string): boolean {
  const parts = pattern.split('*')
  if (parts.length === 1) return pattern === name
  const [first = ''] = parts
  const last = parts.at(-1) ?? ''
  if (!name.startsWith(first) || name.length < first.length + last.length || !name.endsWith(last)) return false
  let at = first.length
  for (const part of parts.slice(1, -1)) {
    const found = name.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  return at <= name.length - last.length
}
