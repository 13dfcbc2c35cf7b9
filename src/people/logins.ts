/**
 * Logins to the console: a person brings a token, or a link that stands for one, and is given a secret for a cookie.
 *
 * What must hold: a login lasts as long as its token, and twelve hours at most; of secrets only the hash is stored; a
 * link works once, for five minutes. Connectors speak for many, so they do not log in.
 */
import { findToken } from '../config/access/identity-index.ts'
import { hashToken } from '../config/access/token-hash.ts'
import { withPeople } from '../config/access/with-people.ts'
import type { Config, TokenConfig } from '../config/config.ts'
import type { Credential } from '../core/identity.ts'
import { conflict, invalidInput, type Refusal } from '../core/refusal.ts'
import { randomHex } from '../platform/random.ts'
import { appendAudit } from '../store/audit-entries.ts'
import type { Database, Queryable } from '../store/database.ts'
import type { Clock } from '../platform/clock.ts'
import { endLogin, endLoginsOf, putLogin, takeLoginLink } from '../store/people/logins.ts'
import { LOCK_PEOPLE } from '../store/people/lock-people.ts'
import { readPeople } from '../store/people/read-people.ts'
import type { PeopleChange } from './edit-people.ts'
import type { LivePeople } from './live-people.ts'

export const LOGIN_MS = 12 * 3_600_000

/** With what a user logs in: their token, or what a link holds. */
export interface LoginProof {
  readonly kind: 'TOKEN' | 'LINK'
  readonly secret: string
}

export interface LoggedIn {
  readonly kind: 'LoggedIn'
  /** For the cookie: stored nowhere. */
  readonly secret: string
  readonly userName: string
  readonly expiresAt: Date
}

export interface LoggedOut {
  readonly kind: 'LoggedOut'
}

export interface LoginsOptions {
  readonly database: Database
  readonly clock: Clock
  readonly live: Pick<LivePeople, 'current' | 'declared' | 'changed' | 'renew'>
}

interface Edit {
  readonly transaction: Queryable
  readonly people: Config
  readonly at: Date
}

export class Logins {
  readonly #options: LoginsOptions

  constructor(options: LoginsOptions) {
    this.#options = options
  }

  /**
   * `former`: the login that this browser had, which ends. Each call is a login of its own. Rejects with
   * DATABASE_UNAVAILABLE; then a link may be used up.
   */
  async logIn(proof: LoginProof, former: Credential | null): Promise<LoggedIn | Refusal> {
    const { live } = this.#options
    // What is no token costs no transaction.
    if (proof.kind === 'TOKEN' && findToken(live.current(), hashToken(proof.secret)) === null) return UNKNOWN_TOKEN
    const secret = `fcl_${randomHex(32)}`
    return this.#edit(async (edit) => {
      const { transaction, at } = edit
      const token = await tokenOf(proof, edit)
      if (token === null) return proof.kind === 'TOKEN' ? UNKNOWN_TOKEN : UNKNOWN_LINK
      const { name: tokenName, sha256: tokenSha256, user } = token
      if (user === null) return conflict('NOT_ALLOWED', FOR_PEOPLE)
      const expiresAt = new Date(at.getTime() + LOGIN_MS)
      if (former !== null) await endLogin(transaction, hashToken(former.secret))
      await putLogin(transaction, { sha256: hashToken(secret), tokenName, tokenSha256, expiresAt }, at)
      await audit(edit, { token, change: 'LOGGED_IN', detail: proof.kind === 'TOKEN' ? 'by token' : 'by link' })
      return { kind: 'LoggedIn', secret, userName: user, expiresAt }
    })
  }

  /** `everywhere`: with all logins by tokens of the same user. Repeatable. Rejects with DATABASE_UNAVAILABLE. */
  async logOut({ secret }: Credential, everywhere: boolean): Promise<LoggedOut> {
    const sha256 = hashToken(secret)
    return this.#edit(async (edit) => {
      const { transaction, people } = edit
      const token = people.logins.get(sha256.toString('hex'))
      await endLogin(transaction, sha256)
      if (token !== undefined) {
        const others = everywhere ? await endLoginsOf(transaction, tokensOfUser(people, token.user)) : 0
        const detail = everywhere ? `everywhere, from ${others + 1} browsers` : 'from one browser'
        await audit(edit, { token, change: 'LOGGED_OUT', detail })
      }
      return { kind: 'LoggedOut' }
    })
  }

  /** Whether a login is known here; another process may have begun it a moment ago. */
  async recall({ secret }: Credential): Promise<void> {
    const { live } = this.#options
    if (!live.current().logins.has(hashToken(secret).toString('hex'))) await live.renew()
  }

  async #edit<Done>(work: (edit: Edit) => Promise<Done>): Promise<Done> {
    const { database, clock, live } = this.#options
    const at = clock.now()
    const done = await database.transaction(async (transaction) => {
      await transaction.query(LOCK_PEOPLE, [])
      return work({ transaction, people: withPeople(live.declared(), await readPeople(transaction), at), at })
    })
    await live.changed()
    return done
  }
}

const FOR_PEOPLE = 'This is the token of a connector, which speaks for many. The console is for the token of a person.'
const UNKNOWN_TOKEN = invalidInput(['token'], 'This token is not known. It may be mistyped, revoked or expired.')
const UNKNOWN_LINK = invalidInput(
  ['code'],
  'This link does not work: it was used before, or is older than five minutes. "factotum login" prints another one.',
)

/** Null: there is none. */
async function tokenOf({ kind, secret }: LoginProof, { transaction, people, at }: Edit): Promise<TokenConfig | null> {
  const sha256 = hashToken(secret)
  if (kind === 'TOKEN') return findToken(people, sha256)
  const bound = await takeLoginLink(transaction, sha256, at)
  const token = people.tokens.get(bound?.tokenName ?? '')
  return bound !== null && token?.sha256.equals(bound.tokenSha256) === true ? token : null
}

function tokensOfUser({ tokens }: Config, user: string | null): string[] {
  return [...tokens.values()].flatMap((token) => (token.user === user ? [token.name] : []))
}

interface Entry {
  readonly token: TokenConfig
  readonly change: PeopleChange
  readonly detail: string
}

function audit({ transaction, at }: Edit, { token, change, detail }: Entry): Promise<void> {
  const body = { kind: 'CONFIG', change, detail } as const
  const who = { actor: token.user, tokenName: token.name }
  return appendAudit(transaction, [{ at, sessionId: null, turnId: null, ...who, body }])
}
