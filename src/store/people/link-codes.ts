/**
 * Codes by which people link their channels, by hash, and the wrong ones that came. Each is a statement of a
 * transaction that holds `LOCK_PEOPLE`, but for `countGuesses`.
 */
import type { Queryable, Statement } from '../database.ts'

const SWEEP_CODES: Statement = { name: 'people.sweep-codes', text: 'DELETE FROM link_codes WHERE expires_at <= $1' }
const LIVE: Statement = {
  name: 'people.live-codes',
  text: `SELECT count(*)::int AS count, min(expires_at) AS "firstEnds" FROM link_codes
    WHERE user_name = $1 AND redeemed_token IS NULL`,
}
const PUT: Statement = {
  name: 'people.put-code',
  text: 'INSERT INTO link_codes (sha256, user_name, expires_at) VALUES ($1, $2, $3)',
}

/** Codes of a user that may still be used. */
export interface LiveCodes {
  readonly count: number
  /** When the first of them expires; null: there is none. */
  readonly firstEnds: Date | null
}

/** How many codes of a user may still be used. Removes those of all users that have expired. */
export async function countLiveCodes(transaction: Queryable, userName: string, at: Date): Promise<LiveCodes> {
  await transaction.query(SWEEP_CODES, [at])
  const [row] = await transaction.query<LiveCodes>(LIVE, [userName])
  return row ?? { count: 0, firstEnds: null }
}

/** Stores a code by its hash. */
export async function putLinkCode(
  transaction: Queryable,
  { sha256, userName, expiresAt }: { readonly sha256: Buffer; readonly userName: string; readonly expiresAt: Date },
): Promise<void> {
  await transaction.query(PUT, [sha256, userName, expiresAt])
}

/** Whose a code is, and who has used it. */
export interface LinkCodeRow {
  readonly userName: string
  /** With which token, for which identity; null: not yet. */
  readonly redeemedToken: string | null
  readonly redeemedIdentity: string | null
}

const FIND: Statement = {
  name: 'people.find-code',
  text: `SELECT user_name AS "userName", redeemed_token AS "redeemedToken", redeemed_identity AS "redeemedIdentity"
    FROM link_codes WHERE sha256 = $1 AND expires_at > $2`,
}
const REDEEM: Statement = {
  name: 'people.redeem-code',
  text: 'UPDATE link_codes SET redeemed_token = $2, redeemed_identity = $3 WHERE sha256 = $1',
}

/** Null: there is none, or it has expired. */
export async function findLinkCode(transaction: Queryable, sha256: Buffer, at: Date): Promise<LinkCodeRow | null> {
  const [row] = await transaction.query<LinkCodeRow>(FIND, [sha256, at])
  return row ?? null
}

/** Under which identity of which connector a code was used, or a wrong one came. */
export interface Guesser {
  readonly tokenName: string
  readonly identity: string
}

/** Marks a code as used: by no other identity from now on. */
export async function redeemCodeRow(
  transaction: Queryable,
  sha256: Buffer,
  { tokenName, identity }: Guesser,
): Promise<void> {
  await transaction.query(REDEEM, [sha256, tokenName, identity])
}

/** How many wrong codes came. */
export interface Guesses {
  readonly ofIdentity: number
  readonly ofConnector: number
}

const GUESSES: Statement = {
  name: 'people.link-guesses',
  text: `SELECT count(*) FILTER (WHERE identity = $2)::int AS "ofIdentity", count(*)::int AS "ofConnector"
    FROM link_guesses WHERE token_name = $1 AND at > $3`,
}

/** Wrong codes since then. */
export async function countGuesses(
  database: Queryable,
  { tokenName, identity }: Guesser,
  since: Date,
): Promise<Guesses> {
  const [row] = await database.query<Guesses>(GUESSES, [tokenName, identity, since])
  return row ?? { ofIdentity: 0, ofConnector: 0 }
}

const SWEEP_GUESSES: Statement = { name: 'people.sweep-guesses', text: 'DELETE FROM link_guesses WHERE at <= $1' }
const NOTE_GUESS: Statement = {
  name: 'people.note-guess',
  text: 'INSERT INTO link_guesses (token_name, identity, at) VALUES ($1, $2, $3)',
}

/** Removes what no longer counts, of all connectors. */
export async function noteGuess(
  transaction: Queryable,
  { tokenName, identity }: Guesser,
  { at, since }: { readonly at: Date; readonly since: Date },
): Promise<void> {
  await transaction.query(SWEEP_GUESSES, [since])
  await transaction.query(NOTE_GUESS, [tokenName, identity, at])
}
