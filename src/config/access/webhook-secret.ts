/**
 * The secrets that sign webhook posts, in the format of Standard Webhooks (https://www.standardwebhooks.com): "whsec_"
 * and 24 to 64 bytes in base64. A token has up to two: while one replaces the other, posts carry the signatures of
 * both.
 */
import { randomHex } from '../../platform/random.ts'
import type { TokenConfig } from '../config.ts'
import type { ApiKeys } from './api-keys.ts'

type NamedToken = Pick<TokenConfig, 'name' | 'declared' | 'webhookSecretEnvs'>

const PREFIX = 'whsec_'
const MIN_BYTES = 24
const MAX_BYTES = 64

export const WEBHOOK_SECRET_RULE = `must be "${PREFIX}" followed by ${MIN_BYTES} to ${MAX_BYTES} random bytes in base64; "factotum token --print" prints one`

export function isWebhookSecret(text: string): boolean {
  if (!text.startsWith(PREFIX)) return false
  const base64 = text.slice(PREFIX.length)
  const bytes = Buffer.from(base64, 'base64')
  return bytes.toString('base64') === base64 && bytes.length >= MIN_BYTES && bytes.length <= MAX_BYTES
}

export function newWebhookSecret(): string {
  return `${PREFIX}${Buffer.from(randomHex(32), 'hex').toString('base64')}`
}

/** The usable ones, from the file and from the variables that it names; none: the token cannot sign. */
export function webhookSecretsOf(token: TokenConfig | undefined, keys: ApiKeys): readonly string[] {
  if (token === undefined) return []
  const fromVariables = token.webhookSecretEnvs.map((name) => keys.apiKey(name)?.trim() ?? '')
  return [...new Set([...token.webhookSecrets, ...fromVariables])].filter(isWebhookSecret)
}

/** Of a token without a usable one: why, and what an admin does about it, to stand behind its name. */
export function whyUnsigned({ name, declared, webhookSecretEnvs }: NamedToken): string {
  if (!declared)
    return 'which has no secret to sign posts with; only a token of config.toml can have one, as its webhook_secret'
  if (webhookSecretEnvs.length > 0)
    return 'which has no secret to sign posts with: the variable that its webhook_secret_env names holds none'
  return `which has no secret to sign posts with; an admin can set webhook_secret in [tokens.${name}] of config.toml`
}
