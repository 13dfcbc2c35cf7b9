/**
 * Who a bearer token is. Called for every request and every WebSocket, and again for open ones when the configuration
 * changes.
 */
import { timingSafeEqual } from 'node:crypto'
import { must } from '../../platform/must.ts'
import type { Viewer } from '../../core/identity.ts'
import type { Config, TokenConfig } from '../config.ts'
import { hashToken } from './token-hash.ts'

/** Null: no configured token matches. Takes the same time whether and wherever it matches. */
export function authenticate(config: Config, token: string): Viewer | null {
  const sha256 = hashToken(token)
  let found: TokenConfig | null = null
  for (const candidate of config.tokens.values()) {
    if (timingSafeEqual(candidate.sha256, sha256)) found = candidate
  }
  return found === null ? null : toViewer(config, found)
}

function toViewer(config: Config, token: TokenConfig): Viewer {
  const { name: tokenName, kind: tokenKind, namespace } = token
  if (token.user === null) return { tokenName, tokenKind, namespace, user: null, role: 'USER' }
  const { name, role } = must(config.users.get(token.user), "a checked token's user is configured")
  return { tokenName, tokenKind, namespace, user: { name, role }, role }
}
