/**
 * All tools in one list, whatever they come from. A turn takes a snapshot when it begins, so that what it was offered
 * and what it calls are the same; what has vanished since fails when it is called. Made by open-tools.ts.
 */
import { isReservedSource, toolSourceOf } from '../core/tool/tool-name.ts'
import { TOOL_ORIGINS, type Tool, type ToolSource } from './tool.ts'

/** Longer descriptions cost every call of a model: the end is cut off. */
const MAX_DESCRIPTION_CHARS = 1024
/** Of all sources together; models choose badly among more. */
const MAX_TOOLS = 256

/** The tools that a turn was offered: it does not change. */
export interface ToolSnapshot {
  /** By name. */
  readonly tools: ReadonlyMap<string, Tool>
  /** Of sources whose tools are not there now: by the source's name. */
  readonly problems: ReadonlyMap<string, string>
}

/** The sources of tools that this process has now. */
export class ToolCatalog {
  /** In the order in which they count. */
  #sources: readonly ToolSource[] = []

  /** From now on it is in every snapshot. Throws for the reserved name of a source that is not the server's. */
  add(source: ToolSource): void {
    const { name, origin } = source
    if (origin !== 'SERVER' && isReservedSource(name)) throw new Error(`"${name}" is no name for a source of tools`)
    this.#sources = [...this.#sources, source].toSorted(byRank)
  }

  /** No repeat, no failure: a source that is not there is left as it is. */
  remove(source: ToolSource): void {
    this.#sources = this.#sources.filter((one) => one !== source)
  }

  /** Of the sources with this name, the one whose tools are offered. */
  holderOf(name: string): ToolSource | null {
    return this.#sources.find((source) => source.name === name) ?? null
  }

  /** The tools as of now, by name. */
  snapshot(): ToolSnapshot {
    const tools = new Map<string, Tool>()
    const problems = new Map<string, string>()
    for (const source of this.#sources) {
      const holder = this.holderOf(source.name)
      const problem = holder === null || holder === source ? source.problem() : shadowed(source, holder)
      if (problem !== null) problems.set(source.name, [problems.get(source.name), problem].filter(Boolean).join(' '))
      for (const tool of holder === source ? source.tools() : []) {
        if (tools.size < MAX_TOOLS && toolSourceOf(tool.name) === source.name && !tools.has(tool.name))
          tools.set(tool.name, bounded(tool))
      }
    }
    return { tools, problems }
  }
}

/** Whichever started first: what is offered is the same in every process. */
function byRank(a: ToolSource, b: ToolSource): number {
  const rank = TOOL_ORIGINS.indexOf(a.origin) - TOOL_ORIGINS.indexOf(b.origin)
  return rank === 0 ? Number(a.name > b.name) - Number(a.name < b.name) : rank
}

const CALLED = { SERVER: 'part of this server', PLUGIN: 'plugin', MCP: 'MCP server' } as const

function shadowed({ name, origin }: ToolSource, holder: ToolSource): string {
  return `The tools of the ${CALLED[origin]} "${name}" are not offered while a ${CALLED[holder.origin]} has its name.`
}

function bounded(tool: Tool): Tool {
  const { description } = tool
  if (description.length <= MAX_DESCRIPTION_CHARS) return tool
  const cut = `${description.slice(0, MAX_DESCRIPTION_CHARS - 1).toWellFormed()}…`
  return { ...tool, description: cut, run: (call) => tool.run(call) }
}
