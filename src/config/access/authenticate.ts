/**
 * Who a token or a login is. Called for every request and every WebSocket, and again for open ones when the
 * configuration changes.
 */
import { must } from '../../platform/must.ts'
import type { Credential, Viewer } from '../../core/identity.ts'
import type { Config, TokenConfig } from '../config.ts'
import { findToken } from './identity-index.ts'
import { hashToken } from './token-hash.ts'

/** Null: no known token matches. Tokens are compared by their hashes, so the time this takes tells nothing of them. */
export function authenticate(config: Config, token: string): Viewer | null {
  const found = findToken(config, hashToken(token))
  return found === null ? null : toViewer(config, found)
}

/** Null: no known token, and no login of one, matches. */
export function viewerOf(config: Config, { kind, secret }: Credential): Viewer | null {
  if (kind === 'TOKEN') return authenticate(config, secret)
  const token = config.logins.get(hashToken(secret).toString('hex'))
  return token === undefined ? null : toViewer(config, token)
}

/** Who a known token is. */
export function toViewer(config: Config, token: TokenConfig): Viewer {
  const { name: tokenName, kind: tokenKind, namespace } = token
  if (token.user === null) return { tokenName, tokenKind, namespace, user: null, role: 'USER' }
  const { name, role } = must(config.users.get(token.user), "a checked token's user is configured")
  return { tokenName, tokenKind, namespace, user: { name, role }, role }
}
