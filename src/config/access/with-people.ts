/**
 * The configuration with the people that stand in the database: what config.toml declares comes from it, all else from
 * the rows. What must hold: what the file declares wins over a row of the same name or identity; a token without a
 * user, or after its time, is refused.
 */
import type { Role, TokenKind } from '../../core/identity.ts'
import type { Config, TokenConfig, UserConfig } from '../config.ts'

/** A user that no config.toml declares. */
export interface StoredUser {
  readonly name: string
  readonly role: Role
  readonly skills: UserConfig['skills']
  readonly tools: UserConfig['tools']
  /** Whom they have become. */
  readonly mergedInto: string | null
  readonly removed: boolean
}

export interface StoredAlias {
  readonly tokenName: string
  readonly identity: string
  readonly userName: string
}

export interface StoredToken {
  readonly name: string
  readonly sha256: Buffer
  readonly kind: TokenKind
  readonly userName: string | null
  readonly namespace: string | null
  readonly expiresAt: Date | null
}

/** A user is logged in to the console, by the token of this name as long as it has this hash. */
export interface StoredLogin {
  readonly sha256: Buffer
  readonly tokenName: string
  readonly tokenSha256: Buffer
  readonly expiresAt: Date
}

/** What the database has besides what config.toml declares. */
export interface StoredPeople {
  readonly users: readonly StoredUser[]
  readonly aliases: readonly StoredAlias[]
  readonly tokens: readonly StoredToken[]
  readonly logins: readonly StoredLogin[]
}

/** `declared`: as config.toml says. */
export function withPeople(declared: Config, stored: StoredPeople, now: Date): Config {
  const users = new Map(declared.users)
  for (const user of stored.users) {
    if (!user.removed && !users.has(user.name)) users.set(user.name, toUser(user))
  }
  linkAliases(users, stored.aliases)
  const tokens = withTokens(declared.tokens, { users, stored: stored.tokens, now })
  const logins = withLogins(tokens, stored.logins, now)
  return { ...declared, users, tokens, logins, formerNames: formerNames(stored.users, users) }
}

/** When the next of these tokens and logins is over; null: none will be. */
export function nextExpiry({ tokens, logins }: StoredPeople, now: Date): Date | null {
  const times = [...tokens, ...logins].flatMap(({ expiresAt }) =>
    expiresAt !== null && expiresAt > now ? [expiresAt.getTime()] : [],
  )
  return times.length === 0 ? null : new Date(Math.min(...times))
}

function toUser({ name, role, skills, tools }: StoredUser): UserConfig {
  return { name, role, skills: role === 'ADMIN' ? '*' : skills, tools, aliases: new Map(), declared: false }
}

function linkAliases(users: Map<string, UserConfig>, stored: readonly StoredAlias[]): void {
  const taken = new Set([...users.values()].flatMap(({ aliases }) => [...aliases].flatMap(toKeys)))
  for (const { tokenName, identity, userName } of stored) {
    const user = users.get(userName)
    if (user === undefined || taken.has(aliasKey(tokenName, identity))) continue
    const aliases = new Map(user.aliases).set(tokenName, [...(user.aliases.get(tokenName) ?? []), identity])
    users.set(userName, { ...user, aliases })
  }
}

function toKeys([tokenName, identities]: readonly [string, readonly string[]]): string[] {
  return identities.map((identity) => aliasKey(tokenName, identity))
}

function aliasKey(tokenName: string, identity: string): string {
  return `${tokenName} ${identity}`
}

interface Tokens {
  readonly users: ReadonlyMap<string, UserConfig>
  readonly stored: readonly StoredToken[]
  readonly now: Date
}

function withTokens(declared: Config['tokens'], { users, stored, now }: Tokens): Config['tokens'] {
  const tokens = new Map(declared)
  for (const token of stored) {
    const hasUser = token.userName === null || users.has(token.userName)
    const isOver = token.expiresAt !== null && token.expiresAt <= now
    if (hasUser && !isOver && !tokens.has(token.name)) tokens.set(token.name, toToken(token))
  }
  return tokens
}

function toToken({ name, sha256, kind, userName: user, namespace, expiresAt }: StoredToken): TokenConfig {
  const secrets = { plainToken: null, webhookSecrets: [], webhookSecretEnvs: [] }
  return { name, sha256, kind, user, namespace, expiresAt, declared: false, ...secrets }
}

/** Those whose token is still the one that they were begun with. */
function withLogins(tokens: Config['tokens'], stored: readonly StoredLogin[], now: Date): Map<string, TokenConfig> {
  const logins = new Map<string, TokenConfig>()
  for (const { sha256, tokenName, tokenSha256, expiresAt } of stored) {
    const token = tokens.get(tokenName)
    if (token !== undefined && token.sha256.equals(tokenSha256) && expiresAt > now)
      logins.set(sha256.toString('hex'), token)
  }
  return logins
}

/** Who has become whom, to the end: a user may have become one who became another. */
function formerNames(stored: readonly StoredUser[], users: ReadonlyMap<string, UserConfig>): Map<string, string> {
  const next = new Map<string, string>()
  for (const { name, mergedInto } of stored) if (mergedInto !== null) next.set(name, mergedInto)
  const names = new Map<string, string>()
  for (const name of next.keys()) {
    let now = name
    for (let steps = 0; steps < next.size && !users.has(now); steps += 1) now = next.get(now) ?? now
    if (now !== name) names.set(name, now)
  }
  return names
}
