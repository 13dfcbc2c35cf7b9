/**
 * Logins to the console, and the links that begin them, by the hashes of their secrets. Each is a statement of a
 * transaction that holds `LOCK_PEOPLE`.
 */
import type { Queryable, Statement } from '../database.ts'

/** To what a login or a link is bound: a token, as long as it has this hash. */
export interface Bound {
  readonly tokenName: string
  readonly tokenSha256: Buffer
}

/** A login to be kept: by the hash of what the cookie holds. */
export interface NewLogin extends Bound {
  readonly sha256: Buffer
  readonly expiresAt: Date
}

/** Of one token at the same time; the oldest ends when there is one more. */
const MAX_OF_TOKEN = 20

const SWEEP: Statement = { name: 'logins.sweep', text: 'DELETE FROM logins WHERE expires_at <= $1' }
const PUT: Statement = {
  name: 'logins.put',
  text: `INSERT INTO logins (sha256, token_name, token_sha256, created_at, expires_at) VALUES ($1, $2, $3, $4, $5)`,
}
const TRIM: Statement = {
  name: 'logins.trim',
  text: `DELETE FROM logins WHERE sha256 IN (
    SELECT sha256 FROM logins WHERE token_name = $1 ORDER BY created_at DESC, sha256 OFFSET ${MAX_OF_TOKEN})`,
}

/** Removes those of all tokens that have expired, and the oldest of this token when there are too many. */
export async function putLogin(transaction: Queryable, login: NewLogin, at: Date): Promise<void> {
  const { sha256, tokenName, tokenSha256, expiresAt } = login
  await transaction.query(SWEEP, [at])
  await transaction.query(PUT, [sha256, tokenName, tokenSha256, at, expiresAt])
  await transaction.query(TRIM, [tokenName])
}

const END: Statement = { name: 'logins.end', text: 'DELETE FROM logins WHERE sha256 = $1' }
const END_OF_TOKENS: Statement = {
  name: 'logins.end-of-tokens',
  text: 'DELETE FROM logins WHERE token_name = ANY ($1::text[]) RETURNING sha256',
}

/** Nothing happens when it has ended before. */
export async function endLogin(transaction: Queryable, sha256: Buffer): Promise<void> {
  await transaction.query(END, [sha256])
}

/** How many there were. */
export async function endLoginsOf(transaction: Queryable, tokenNames: readonly string[]): Promise<number> {
  return (await transaction.query(END_OF_TOKENS, [tokenNames])).length
}

const SWEEP_LINKS: Statement = { name: 'logins.sweep-links', text: 'DELETE FROM login_links WHERE expires_at <= $1' }
const PUT_LINK: Statement = {
  name: 'logins.put-link',
  text: 'INSERT INTO login_links (sha256, token_name, token_sha256, expires_at) VALUES ($1, $2, $3, $4)',
}

/** Removes those that have expired. */
export async function putLoginLink(transaction: Queryable, link: NewLogin, at: Date): Promise<void> {
  const { sha256, tokenName, tokenSha256, expiresAt } = link
  await transaction.query(SWEEP_LINKS, [at])
  await transaction.query(PUT_LINK, [sha256, tokenName, tokenSha256, expiresAt])
}

const TAKE_LINK: Statement = {
  name: 'logins.take-link',
  text: `DELETE FROM login_links WHERE sha256 = $1 AND expires_at > $2
    RETURNING token_name AS "tokenName", token_sha256 AS "tokenSha256"`,
}

/** It works once. Null: there is none, or it has expired. */
export async function takeLoginLink(transaction: Queryable, sha256: Buffer, at: Date): Promise<Bound | null> {
  const [row] = await transaction.query<Bound>(TAKE_LINK, [sha256, at])
  return row ?? null
}

/** A token by which a person may log in. */
export interface PersonsToken extends Bound {
  readonly userName: string
  readonly isAdmins: boolean
}

const PERSONS_TOKENS: Statement = {
  name: 'logins.persons-tokens',
  text: `SELECT t.name AS "tokenName", t.sha256 AS "tokenSha256", u.name AS "userName", u.role = 'ADMIN' AS "isAdmins"
    FROM tokens t JOIN users u ON u.name = t.user_name AND u.removed_at IS NULL
    WHERE t.kind = 'USER' AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > $1)
    ORDER BY u.name, t.name <> u.name, NOT t.declared, t.created_at, t.name`,
}

/** By user; of each, first the one that has the user's name, then those of config.toml, then the oldest. */
export function readPersonsTokens(transaction: Queryable, at: Date): Promise<PersonsToken[]> {
  return transaction.query<PersonsToken>(PERSONS_TOKENS, [at])
}
