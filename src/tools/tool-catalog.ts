/**
 * All tools in one list, whatever they come from. A turn takes a snapshot when it begins, so that what it was offered
 * and what it calls are the same; what has vanished since fails when it is called. Made by app.ts.
 */
import type { Tool, ToolSource } from './tool.ts'

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
  readonly #sources = new Map<string, ToolSource>()

  /** From now on its tools are in every snapshot. Throws when the name is taken: names are checked by configuration. */
  add(source: ToolSource): void {
    if (this.#sources.has(source.name)) throw new Error(`there is a source of tools named ${source.name} already`)
    this.#sources.set(source.name, source)
  }

  /** No repeat, no failure: a source that is not there is left as it is. */
  remove(name: string): void {
    this.#sources.delete(name)
  }

  /** The tools as of now, by name. Of two with one name the first source's counts. */
  snapshot(): ToolSnapshot {
    const tools = new Map<string, Tool>()
    const problems = new Map<string, string>()
    for (const source of this.#sources.values()) {
      const problem = source.problem()
      if (problem !== null) problems.set(source.name, problem)
      for (const tool of source.tools()) {
        if (tools.size < MAX_TOOLS && !tools.has(tool.name)) tools.set(tool.name, bounded(tool))
      }
    }
    return { tools, problems }
  }
}

function bounded(tool: Tool): Tool {
  const { name, source, parameters, effect, fingerprint, description } = tool
  if (description.length <= MAX_DESCRIPTION_CHARS) return tool
  const cut = `${description.slice(0, MAX_DESCRIPTION_CHARS - 1).toWellFormed()}…`
  const offer = {
    name,
    source,
    parameters,
    effect,
    description: cut,
    ...(fingerprint === undefined ? {} : { fingerprint }),
  }
  return { ...offer, run: (call) => tool.run(call) }
}
