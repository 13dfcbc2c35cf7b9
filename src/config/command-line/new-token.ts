/** Makes bearer tokens: 256 random bits behind a prefix that tells people and secret scanners what it is. */
import { stringify } from 'smol-toml'
import { randomHex } from '../../platform/random.ts'
import type { TokenAction } from './token-action.ts'
import { hashToken } from '../access/token-hash.ts'
import { newWebhookSecret } from '../access/webhook-secret.ts'

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

/** The section of config.toml that lets a token in, with a fresh secret for webhooks to uncomment. */
export function tokenSection(
  sha256: string,
  { kind, user, namespace, name }: Pick<TokenAction, 'kind' | 'user' | 'namespace'> & { readonly name: string },
): string {
  const entry = { sha256, kind, ...(user !== null && { user }), ...(namespace !== null && { namespace }) }
  return [
    stringify({ tokens: { [name]: entry } }).trim(),
    `#webhook_secret = "${newWebhookSecret()}"   # without the "#", it may set webhooks; give it to the receiver`,
  ].join('\n')
}

/** What `factotum token --print` shows: the token, and the section to paste. */
export function describeNewToken({ token, sha256 }: NewToken, action: TokenAction): string {
  const name = action.name ?? action.user ?? action.namespace ?? 'NAME'
  const user = action.kind === 'user' ? (action.user ?? 'USER') : null
  return [
    `Token, shown only this once: ${token}`,
    '',
    'To let it in, paste this into config.toml (a running server takes it over within a second):',
    '',
    tokenSection(sha256, { ...action, name, user }),
  ].join('\n')
}
