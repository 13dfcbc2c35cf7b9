/**
 * `factotum login`, and the first start: a link that logs a person in to the console, once. It stands for a token of
 * theirs, so what ends the token ends the login. Who may run this holds the machine.
 */
import { didYouMean } from '../platform/closest.ts'
import { hashToken } from '../config/access/token-hash.ts'
import { AppError } from '../core/errors.ts'
import { randomHex } from '../platform/random.ts'
import { appendAudit } from '../store/audit-entries.ts'
import type { Queryable } from '../store/database.ts'
import { putLoginLink, readPersonsTokens, type PersonsToken } from '../store/people/logins.ts'

export const LINK_MS = 5 * 60_000

export interface LoginLink {
  /** The console's address of it: behind the "#", which is sent to no server and stands in no log. */
  readonly path: string
  readonly userName: string
  /** What ends the login with it. */
  readonly tokenName: string
}

export interface LoginLinkOptions {
  /** Null: the only admin. */
  readonly user: string | null
  readonly at: Date
}

/** Each call makes another one. Rejects with CONFIG_INVALID when there is no such user, or no token of theirs. */
export async function createLoginLink(transaction: Queryable, { user, at }: LoginLinkOptions): Promise<LoginLink> {
  const { tokenName, tokenSha256, userName } = choose(await readPersonsTokens(transaction, at), user)
  const code = randomHex(16)
  const expiresAt = new Date(at.getTime() + LINK_MS)
  await putLoginLink(transaction, { sha256: hashToken(code), tokenName, tokenSha256, expiresAt }, at)
  const body = { kind: 'CONFIG', change: 'LOGIN_LINK_CREATED', detail: `for ${userName}, on the machine` } as const
  await appendAudit(transaction, [{ at, sessionId: null, turnId: null, actor: null, tokenName, body }])
  return { path: `/#/login/${code}`, userName, tokenName }
}

/** Of several tokens of the user, the first. */
function choose(tokens: readonly PersonsToken[], user: string | null): PersonsToken {
  const names = new Set(tokens.filter(({ isAdmins }) => user !== null || isAdmins).map(({ userName }) => userName))
  const wanted = user ?? (names.size === 1 ? [...names][0] : undefined)
  const found = tokens.find(({ userName }) => userName === wanted)
  if (found !== undefined) return found
  if (names.size === 0) throw new AppError('CONFIG_INVALID', NOBODY)
  if (user === null)
    throw new AppError('CONFIG_INVALID', `Who logs in? Add --user with one of: ${[...names].join(', ')}.`)
  const hint = didYouMean(user, names)
  throw new AppError('CONFIG_INVALID', `No user "${user}" has a token${hint}. "factotum token --user" makes one.`)
}

const NOBODY =
  'Nobody who could log in has a token that the server knows. Start it once, or make one: "factotum token".'
