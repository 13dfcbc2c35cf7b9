/**
 * Which model a text of the configuration means: "provider:model", or "model" of the first provider. What stands before
 * the first colon is always a provider, so that a mistyped one is an error and not a model of another provider.
 */
import type { ModelChoice } from '../config.ts'

/**
 * The built-in stand-in that answers while no provider is configured; it says everywhere that it is no language model.
 */
export const REHEARSAL: ModelChoice = { provider: 'rehearsal', model: 'rehearsal' }

/** `providers` in the order of the file, at least one. The result's provider need not be among them. */
export function parseModel(text: string, providers: readonly string[]): ModelChoice {
  const colon = text.indexOf(':')
  if (colon === -1) return { provider: providers[0] ?? '', model: text }
  return { provider: text.slice(0, colon), model: text.slice(colon + 1) }
}

/** A provider that is a plugin's runtime, "<plugin>/<runtime>"; whether there is one, only the plugins know. */
export function isRuntime(provider: string): boolean {
  return /^[a-z][a-z0-9-]{0,31}\/[a-z][a-z0-9-]{0,31}$/.test(provider)
}

export function modelKey(choice: ModelChoice): string {
  return `${choice.provider}:${choice.model}`
}
