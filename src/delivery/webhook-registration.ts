/** May this token set this webhook? Asked when a session is opened or updated. */
import type { LiveConfig } from '../config/config.ts'
import type { ApiKeys } from '../config/access/api-keys.ts'
import { webhookSecretsOf, whyUnsigned } from '../config/access/webhook-secret.ts'
import type { AddressGuard } from './address-guard.ts'

export interface WebhookRegistrationOptions {
  readonly config: LiveConfig
  readonly keys: ApiKeys
  readonly guard: AddressGuard
}

/** What is wrong with it, or null. Resolves the host's name, which can take seconds; never rejects. */
export type CheckWebhook = (url: string, tokenName: string) => Promise<string | null>

/** Unsigned posts are not offered: their receiver could not distinguish them from forged ones. */
export function createWebhookCheck({ config, keys, guard }: WebhookRegistrationOptions): CheckWebhook {
  return async (url, tokenName) => {
    const token = config.current().tokens.get(tokenName)
    if (token === undefined) return `cannot be set with the token "${tokenName}", which is gone`
    if (webhookSecretsOf(token, keys).length > 0) return guard.findProblem(url)
    return `cannot be set with the token "${tokenName}", ${whyUnsigned(token)}`
  }
}
