/**
 * The keys and secrets that the configuration names by variables. src/secrets reads them; the real environment wins
 * over `.env`.
 */
import type { Config } from '../config.ts'

export interface ApiKeys {
  /** The value of the variable `name`, or null when neither the environment nor `.env` has it. */
  apiKey(name: string): string | null
}

/** Variables that providers name and that have no value, for a warning at start: `openrouter: OPENROUTER_API_KEY`. */
export function findMissingKeys(config: Config, keys: ApiKeys): readonly string[] {
  return [...config.providers.values()].flatMap(({ name, apiKeyEnv }) =>
    apiKeyEnv === null || keys.apiKey(apiKeyEnv) !== null ? [] : [`${name}: ${apiKeyEnv}`],
  )
}
