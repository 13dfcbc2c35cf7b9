/** The tools of one plugin, as the catalogue takes them. */
import type { Json } from '../plugin-api/hook-inputs.ts'
import type { PluginManifest } from '../plugin-api/manifest.ts'
import type { JsonObject } from '../core/tool/json.ts'
import type { Clock } from '../platform/clock.ts'
import { toolName } from '../core/tool/tool-name.ts'
import type { ToolEffect } from '../core/tool/tool-name.ts'
import { must } from '../platform/must.ts'
import { offerFingerprint } from '../tools/fingerprint.ts'
import type { Tool, ToolCall, ToolOutcome, ToolSource } from '../tools/tool.ts'
import type { EnabledPlugin } from './hooks/hook-target.ts'
import { PluginError } from './plugin-instance.ts'
import { withinBudget } from './runners.ts'

type OfferedTool = PluginManifest['tools'][number]

/**
 * Follows the plugin: while it is not there, it has no tools. What a turn was offered is called in the plugin as it is
 * now, if it still is the same tool.
 */
export class PluginTools implements ToolSource {
  readonly name: string
  readonly origin = 'PLUGIN'
  readonly #plugin: EnabledPlugin
  readonly #clock: Clock
  readonly #redact: (text: string) => string
  #made: { readonly manifest: PluginManifest; readonly tools: readonly Tool[] } | null = null

  /** `redact`: takes secrets out of what went wrong in the plugin, as admins are shown it. */
  constructor(plugin: EnabledPlugin, clock: Clock, redact: (text: string) => string) {
    this.name = plugin.name
    this.#plugin = plugin
    this.#clock = clock
    this.#redact = redact
  }

  /** None while the plugin is not there. */
  tools(): readonly Tool[] {
    const manifest = this.#plugin.supervisor?.instance?.manifest
    if (manifest === undefined) return []
    if (this.#made?.manifest !== manifest) {
      this.#made = { manifest, tools: manifest.tools.flatMap((tool) => this.#toTool(tool)) }
    }
    return this.#made.tools
  }

  /** Null while the plugin takes calls. For admins. */
  problem(): string | null {
    const what = this.#absence()
    const lastError = this.#plugin.supervisor?.lastError ?? null
    return what === null || lastError === null ? what : `${what} Its last error: ${this.#redact(lastError)}`
  }

  /** As all in a session may read it; what went wrong in the plugin may name what they should not know. */
  #absence(): string | null {
    const { supervisor } = this.#plugin
    if (supervisor === null) return `The plugin ${this.name} is not enabled any more.`
    return supervisor.instance === null ? `The plugin ${this.name} is not running (${supervisor.status}).` : null
  }

  /** None for a name that models do not take. */
  #toTool(offered: OfferedTool): Tool[] {
    const name = toolName(this.name, offered.name)
    const { description, effect, parameters } = offered
    if (name === null) return []
    const offer = { name, source: this.name, description, effect, parameters: parameters as JsonObject }
    const fingerprint = offerFingerprint(offer)
    const isSame = (): boolean => this.tools().some((tool) => tool.fingerprint === fingerprint)
    const run = async (call: ToolCall): Promise<ToolOutcome> => {
      const problem = this.#absence() ?? (isSame() ? null : 'The plugin has changed it since it was offered.')
      return problem === null ? this.#run(offered, call) : { kind: 'failed', text: `It was not called: ${problem}` }
    }
    return [{ ...offer, fingerprint, run }]
  }

  async #run({ name: tool, effect }: OfferedTool, call: ToolCall): Promise<ToolOutcome> {
    const supervisor = must(this.#plugin.supervisor, 'a plugin that has no problem is kept')
    const instance = must(supervisor.instance, 'a plugin that has no problem runs')
    const { args, sessionId, turnId, taskId, user, onProgress, timeoutMs, signal } = call
    const whose = { sessionId, turnId, taskId, user: user.name, role: user.role }
    try {
      const answer = await withinBudget(
        (own) => instance.call({ kind: 'TOOL', tool, args, call: whose }, { signal: own, onProgress }),
        { budgetMs: timeoutMs, clock: this.#clock, signal },
      )
      supervisor.report({ outcome: 'OK', message: null })
      return { kind: 'done', text: textOf(answer) }
    } catch (error) {
      const failure = error instanceof PluginError ? error : new PluginError('THREW', String(error))
      // What a tool throws is an answer to the model: the plugin itself works.
      const outcome = failure.kind === 'THREW' ? 'OK' : failure.kind
      supervisor.report({ outcome, message: `${tool}: ${failure.message}` })
      return outcomeOf(failure, effect)
    }
  }
}

function textOf(answer: Json): string {
  return typeof answer === 'string' ? answer : JSON.stringify(answer)
}

/** What was called and has not answered may have taken effect. */
function outcomeOf({ kind, message }: PluginError, effect: ToolEffect): ToolOutcome {
  const mayHaveTakenEffect = effect === 'WRITE' && (kind === 'LATE' || kind === 'LOST' || kind === 'ENDED')
  return { kind: mayHaveTakenEffect ? 'unknown' : 'failed', text: message }
}
