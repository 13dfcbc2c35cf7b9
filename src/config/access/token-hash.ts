/** The SHA-256 under which a token is known: the configuration keeps this, never the token. */
import { hash } from 'node:crypto'

export function hashToken(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}

export function isSha256(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-fA-F]{64}$/.test(value)
}

/** What a section of `[tokens]` stands for, whichever way it is written; null when it is written in neither. */
export function tokenHash(section: { readonly sha256?: unknown; readonly token?: unknown }): Buffer | null {
  if (isSha256(section.sha256)) return Buffer.from(section.sha256, 'hex')
  return typeof section.token === 'string' ? hashToken(section.token) : null
}
