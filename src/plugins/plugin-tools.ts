/** The tools of one plugin, as the catalogue takes them. */
import type { Json } from '../plugin-api/hook-inputs.ts'
import type { PluginManifest } from '../plugin-api/manifest.ts'
import type { JsonObject } from '../core/tool/json.ts'
import type { Clock } from '../platform/clock.ts'
import { toolName } from '../core/tool/tool-name.ts'
import type { ToolEffect } from '../core/tool/tool-name.ts'
import { offerFingerprint } from '../tools/fingerprint.ts'
import type { Tool, ToolCall, ToolOutcome, ToolSource } from '../tools/tool.ts'
import { PluginError } from './plugin-instance.ts'
import type { PluginKeeper } from './plugin-keeper.ts'
import { withinBudget } from './runners.ts'

type OfferedTool = PluginManifest['tools'][number]

/** Follows the keeper: while the plugin is not there, it has no tools. */
export class PluginTools implements ToolSource {
  readonly name: string
  readonly origin = 'PLUGIN'
  readonly #keeper: PluginKeeper
  readonly #clock: Clock
  #made: { readonly manifest: PluginManifest; readonly tools: readonly Tool[] } | null = null

  constructor(keeper: PluginKeeper, clock: Clock) {
    this.name = keeper.name
    this.#keeper = keeper
    this.#clock = clock
  }

  /** None while the plugin is not there. */
  tools(): readonly Tool[] {
    const manifest = this.#keeper.instance?.manifest
    if (manifest === undefined) return []
    if (this.#made?.manifest !== manifest) {
      this.#made = { manifest, tools: manifest.tools.flatMap((tool) => this.#toTool(tool)) }
    }
    return this.#made.tools
  }

  /** Null while the plugin takes calls. */
  problem(): string | null {
    if (this.#keeper.instance !== null) return null
    const { name, status, lastError } = this.#keeper
    return `The plugin ${name} is not running (${status})${lastError === null ? '' : `: ${lastError}`}.`
  }

  /** None for a name that models do not take. */
  #toTool(offered: OfferedTool): Tool[] {
    const name = toolName(this.name, offered.name)
    const { description, effect, parameters } = offered
    const run = (call: ToolCall): Promise<ToolOutcome> => this.#run(offered, call)
    if (name === null) return []
    const offer = { name, source: this.name, description, effect, parameters: parameters as JsonObject }
    return [{ ...offer, fingerprint: offerFingerprint(offer), run }]
  }

  async #run({ name: tool, effect }: OfferedTool, call: ToolCall): Promise<ToolOutcome> {
    const keeper = this.#keeper
    const { instance } = keeper
    if (instance === null) return { kind: 'failed', text: this.problem() ?? 'The plugin is not running.' }
    const { args, sessionId, turnId, taskId, user, onProgress, timeoutMs, signal } = call
    const whose = { sessionId, turnId, taskId, user: user.name, role: user.role }
    try {
      const answer = await withinBudget(
        (own) => instance.call({ kind: 'TOOL', tool, args, call: whose }, { signal: own, onProgress }),
        { budgetMs: timeoutMs, clock: this.#clock, signal },
      )
      keeper.report({ outcome: 'OK', message: null })
      return { kind: 'done', text: textOf(answer) }
    } catch (error) {
      const failure = error instanceof PluginError ? error : new PluginError('THREW', String(error))
      // What a tool throws is an answer to the model: the plugin itself works.
      const outcome = failure.kind === 'THREW' ? 'OK' : failure.kind
      keeper.report({ outcome, message: `${tool}: ${failure.message}` })
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
