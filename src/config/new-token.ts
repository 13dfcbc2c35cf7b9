/** Makes bearer tokens: 256 random bits behind a prefix that tells people and secret scanners what it is. */
import { randomHex } from '../platform/id.ts'
import { hashToken } from './token-hash.ts'
import { newWebhookSecret } from './webhook-secret.ts'

export interface NewToken {
  /** Shown once and stored nowhere. */
  readonly token: string
  /** What config.toml holds, in hexadecimal. */
  readonly sha256: string
}

export function newToken(): NewToken {
  const token = `fct_${randomHex(32)}`
  return { token, sha256: hashToken(token).toString('hex') }
}

/** What `factotum token` prints: the token, and the section to paste, with a fresh secret for webhooks. */
export function describeNewToken({ token, sha256 }: NewToken): string {
  return [
    `Token, shown only this once: ${token}`,
    '',
    'To let it in, paste this into config.toml, with a name and a user of yours (the running server takes it over):',
    '',
    '[tokens.NAME]',
    `sha256 = "${sha256}"`,
    'kind = "user"   # or "connector", without the next line',
    'user = "USER"',
    `#webhook_secret = "${newWebhookSecret()}"   # without the "#", it may set webhooks; give it to the receiver`,
  ].join('\n')
}
