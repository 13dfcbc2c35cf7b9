/** What is known of a call when it fails: what the error's message must name, so that people know what to change. */
import type { CalledAs } from '../core/model-call.ts'

/** `apiKey` is here only to be taken out of texts that are quoted. */
export interface ModelCallContext {
  readonly role: CalledAs
  readonly provider: string
  readonly model: string
  readonly baseUrl: string
  /** The environment variable of the key, or null for a provider without one. */
  readonly apiKeyEnv: string | null
  readonly apiKey: string | null
  /** Whether the answer had to satisfy a JSON schema. */
  readonly wantsSchema: boolean
}

/** "the planner's model "openrouter:some/model"" */
export function nameModel(call: ModelCallContext): string {
  return `the ${call.role}'s model "${call.provider}:${call.model}"`
}

/** For the middle of a sentence; `capitalize` makes a beginning of it. */
export function nameProvider(call: ModelCallContext): string {
  return `provider "${call.provider}"`
}

/** The line of config.toml that decides the model. */
export function modelSetting(call: ModelCallContext): string {
  const inherited = call.role === 'planner' || call.role === 'embedder' ? '' : ', by default that of the planner'
  return `[models] ${call.role} = "…" in config.toml${inherited}`
}

/** The endpoint without credentials, query or fragment. */
export function nameBaseUrl(call: ModelCallContext): string {
  const url = URL.parse(call.baseUrl)
  return url === null ? call.baseUrl : `${url.origin}${url.pathname}`
}

/** A provider's own words, safe to store and to show: one line, bounded, without the key. */
export function quote(text: string, call: ModelCallContext): string {
  const withoutKey = call.apiKey === null || call.apiKey === '' ? text : text.replaceAll(call.apiKey, '[REDACTED]')
  const line = withoutKey
    .slice(0, 4 * MAX_QUOTE_CHARS)
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\s]+/gu, ' ')
    .trim()
  return line.length <= MAX_QUOTE_CHARS ? line : `${line.slice(0, MAX_QUOTE_CHARS).toWellFormed()}…`
}

const MAX_QUOTE_CHARS = 300

/** The first character in upper case, the others as they are. */
export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
