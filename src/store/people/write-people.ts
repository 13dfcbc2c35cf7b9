/** What an admin changes of people, each a statement of a transaction that holds `LOCK_PEOPLE`. */
import type { Role, TokenKind } from '../../core/identity.ts'
import { namedId } from '../../platform/id.ts'
import { isStorable } from '../../platform/well-formed.ts'
import type { Queryable, Statement } from '../database.ts'

/** A row of a user, also of one who was removed. */
export interface UserRow {
  readonly name: string
  readonly declared: boolean
  readonly removedAt: Date | null
  readonly mergedInto: string | null
}

const USER: Statement = {
  name: 'people.user',
  text: `SELECT name, declared, removed_at AS "removedAt", merged_into AS "mergedInto" FROM users WHERE name = $1`,
}

/** Null: no user has ever had this name. */
export async function readUser(transaction: Queryable, name: string): Promise<UserRow | null> {
  if (!isStorable(name)) return null
  const [row] = await transaction.query<UserRow>(USER, [name])
  return row ?? null
}

/** What is stored of a user. `skills`: their names, or '*' for all. */
export interface NewUser {
  readonly name: string
  readonly role: Role
  readonly skills: '*' | readonly string[]
  /** Patterns of names of tools. */
  readonly tools: readonly string[]
}

const PUT_USER: Statement = {
  name: 'people.put-user',
  text: `INSERT INTO users (id, name, role, all_skills, skills, tools, declared, created_at, created_by)
    VALUES ($1, $2, $3::user_role, $4, $5, $6, false, $7, $8)
    ON CONFLICT (name) DO UPDATE SET role = excluded.role, all_skills = excluded.all_skills, skills = excluded.skills, tools = excluded.tools,
      declared = false, removed_at = NULL, merged_into = NULL`,
}

/** Stores a new user, or what is changed of one. */
export async function putUser(
  transaction: Queryable,
  { name, role, skills, tools }: NewUser,
  { at, by }: { readonly at: Date; readonly by: string | null },
): Promise<void> {
  const all = skills === '*'
  await transaction.query(PUT_USER, [namedId('user', name), name, role, all, all ? [] : skills, tools, at, by])
}

const REMOVE_USER: Statement = {
  name: 'people.remove-user',
  text: 'UPDATE users SET removed_at = $2, merged_into = $3 WHERE name = $1',
}
const REVOKE_TOKENS_OF: Statement = {
  name: 'people.revoke-tokens-of',
  text: 'UPDATE tokens SET revoked_at = $2 WHERE user_name = $1 AND revoked_at IS NULL',
}
const UNLINK_ALL: Statement = { name: 'people.unlink-all', text: 'DELETE FROM user_aliases WHERE user_name = $1' }
const FORGET_CODES: Statement = { name: 'people.forget-codes', text: 'DELETE FROM link_codes WHERE user_name = $1' }

/** By no token, identity or code of this name is anybody let in any more. */
export async function revokeAccess(transaction: Queryable, name: string, at: Date): Promise<void> {
  await transaction.query(REVOKE_TOKENS_OF, [name, at])
  await transaction.query(UNLINK_ALL, [name])
  await transaction.query(FORGET_CODES, [name])
}

/** With tokens and aliases. */
export async function removeUserRow(transaction: Queryable, name: string, at: Date): Promise<void> {
  await revokeAccess(transaction, name, at)
  await transaction.query(REMOVE_USER, [name, at, null])
}

const TOKENS_BECOME: Statement = {
  name: 'people.tokens-become',
  text: 'UPDATE tokens SET user_name = $2 WHERE user_name = $1',
}
const ALIASES_BECOME: Statement = {
  name: 'people.aliases-become',
  text: 'UPDATE user_aliases SET user_name = $2, declared = false WHERE user_name = $1',
}

/** `from` is gone; tokens and aliases are those of `into`. */
export async function becomeUser(
  transaction: Queryable,
  { from, into, at }: { readonly from: string; readonly into: string; readonly at: Date },
): Promise<void> {
  await transaction.query(TOKENS_BECOME, [from, into])
  await transaction.query(ALIASES_BECOME, [from, into])
  await transaction.query(FORGET_CODES, [from])
  await transaction.query(REMOVE_USER, [from, at, into])
}

/** A row of a token, also of one that was revoked. The value itself is stored nowhere. */
export interface TokenRow {
  readonly kind: TokenKind
  readonly userName: string | null
  readonly namespace: string | null
  readonly declared: boolean
  readonly revokedAt: Date | null
}

const TOKEN: Statement = {
  name: 'people.token',
  text: `SELECT kind, user_name AS "userName", namespace, declared, revoked_at AS "revokedAt" FROM tokens WHERE name = $1`,
}

/** Null: no token has ever had this name. */
export async function readToken(transaction: Queryable, name: string): Promise<TokenRow | null> {
  if (!isStorable(name)) return null
  const [row] = await transaction.query<TokenRow>(TOKEN, [name])
  return row ?? null
}

/** A token to store, by its hash; it stops working at `expiresAt`, or never when that is null. */
export interface NewTokenRow extends Pick<TokenRow, 'kind' | 'userName' | 'namespace'> {
  readonly name: string
  readonly sha256: Buffer
  readonly expiresAt: Date | null
}

const PUT_TOKEN: Statement = {
  name: 'people.put-token',
  text: `INSERT INTO tokens (id, name, sha256, kind, user_name, namespace, declared, created_at, created_by, expires_at)
    VALUES ($1, $2, $3, $4::token_kind, $5, $6, false, $7, $8, $9)
    ON CONFLICT (name) DO UPDATE SET sha256 = excluded.sha256, declared = false, created_at = excluded.created_at,
      created_by = excluded.created_by, expires_at = excluded.expires_at, revoked_at = NULL`,
}

/** In place of a revoked one of the same name, kind, user and namespace, if there was one. */
export async function putToken(
  transaction: Queryable,
  token: NewTokenRow,
  { at, by }: { readonly at: Date; readonly by: string | null },
): Promise<void> {
  const { name, sha256, kind, userName, namespace, expiresAt } = token
  const values = [namedId('token', name), name, sha256, kind, userName, namespace, at, by, expiresAt]
  await transaction.query(PUT_TOKEN, values)
}

const REVOKE_TOKEN: Statement = {
  name: 'people.revoke-token',
  text: 'UPDATE tokens SET revoked_at = $2 WHERE name = $1 AND revoked_at IS NULL',
}

/** It stops working within a second, in every process. Nothing happens when it was revoked before. */
export async function revokeTokenRow(transaction: Queryable, name: string, at: Date): Promise<void> {
  await transaction.query(REVOKE_TOKEN, [name, at])
}

/** An identity as the connector of this token names it. */
export interface AliasRow {
  readonly tokenName: string
  readonly identity: string
}

const LINK: Statement = {
  name: 'people.link',
  text: `INSERT INTO user_aliases (token_name, identity, user_name, declared, created_at) VALUES ($1, $2, $3, false, $4)
    ON CONFLICT (token_name, identity) DO UPDATE SET user_name = excluded.user_name, declared = false`,
}
const UNLINK: Statement = {
  name: 'people.unlink',
  text: 'DELETE FROM user_aliases WHERE (token_name, identity) = ($1, $2)',
}

/** From now on it is this user; also when it was another one before. */
export async function linkAlias(
  transaction: Queryable,
  { tokenName, identity }: AliasRow,
  { userName, at }: { readonly userName: string; readonly at: Date },
): Promise<void> {
  await transaction.query(LINK, [tokenName, identity, userName, at])
}

/** Nothing happens when it was no user's. */
export async function unlinkAlias(transaction: Queryable, { tokenName, identity }: AliasRow): Promise<void> {
  await transaction.query(UNLINK, [tokenName, identity])
}
