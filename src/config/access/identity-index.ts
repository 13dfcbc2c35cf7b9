/**
 * Tokens by their hash, and users by their aliases: what every request asks for, found without going through all of
 * them. Made once per configuration, which is replaced whole when it changes.
 */
import type { Config, TokenConfig, UserConfig } from '../config.ts'

const byHash = new WeakMap<Config['tokens'], ReadonlyMap<string, TokenConfig>>()
const byAlias = new WeakMap<Config['users'], ReadonlyMap<string, ReadonlyMap<string, UserConfig>>>()

/** The token with this SHA-256. How long this takes tells of the hash at most, which cannot be chosen. */
export function findToken({ tokens }: Pick<Config, 'tokens'>, sha256: Buffer): TokenConfig | null {
  let index = byHash.get(tokens)
  if (index === undefined) {
    index = new Map([...tokens.values()].map((token) => [token.sha256.toString('hex'), token]))
    byHash.set(tokens, index)
  }
  return index.get(sha256.toString('hex')) ?? null
}

/** The user whom the connector with this token knows as `identity`. */
export function findByAlias({ users }: Pick<Config, 'users'>, tokenName: string, identity: string): UserConfig | null {
  let index = byAlias.get(users)
  if (index === undefined) {
    index = indexAliases(users)
    byAlias.set(users, index)
  }
  return index.get(tokenName)?.get(identity) ?? null
}

function indexAliases(users: Config['users']): ReadonlyMap<string, ReadonlyMap<string, UserConfig>> {
  const index = new Map<string, Map<string, UserConfig>>()
  for (const user of users.values()) {
    for (const [tokenName, identities] of user.aliases) {
      const known = index.get(tokenName) ?? new Map<string, UserConfig>()
      for (const identity of identities) known.set(identity, user)
      index.set(tokenName, known)
    }
  }
  return index
}
