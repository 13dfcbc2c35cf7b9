/** What the processes go by: users, aliases and tokens that no config.toml
 * declares, who has become whom, and who is logged in. */
import type {
  StoredAlias,
  StoredLogin,
  StoredPeople,
  StoredToken,
  StoredUser,
} from '../../config/access/with-people.ts'
import type { Queryable } from '../database.ts'

const VERSION = { name: 'people.version', plansOnce: true, text: 'SELECT version FROM people_state WHERE id = 1' }

/** Another than before: something has changed. */
export async function readPeopleVersion(database: Queryable): Promise<string> {
  const [row] = await database.query<{ version: string }>(VERSION, [])
  return row?.version ?? ''
}

const USERS = {
  name: 'people.users',
  text: `SELECT name, role, all_skills AS "allSkills", skills, tools, merged_into AS "mergedInto", removed_at IS NOT NULL AS removed
    FROM users WHERE NOT declared AND (removed_at IS NULL OR merged_into IS NOT NULL)`,
}
const ALIASES = {
  name: 'people.aliases',
  text: `SELECT token_name AS "tokenName", identity, user_name AS "userName" FROM user_aliases WHERE NOT declared`,
}
const TOKENS = {
  name: 'people.tokens',
  text: `SELECT name, sha256, kind, user_name AS "userName", namespace, expires_at AS "expiresAt" FROM tokens
    WHERE NOT declared AND revoked_at IS NULL`,
}
const LOGINS = {
  name: 'people.logins',
  text: `SELECT sha256, token_name AS "tokenName", token_sha256 AS "tokenSha256", expires_at AS "expiresAt" FROM logins`,
}

/** Read after the version, it is at least as new. */
export async function readPeople(database: Queryable): Promise<StoredPeople> {
  const users = await database.query<Omit<StoredUser, 'skills'> & { allSkills: boolean; skills: string[] }>(USERS, [])
  const aliases = await database.query<StoredAlias>(ALIASES, [])
  const tokens = await database.query<StoredToken>(TOKENS, [])
  const logins = await database.query<StoredLogin>(LOGINS, [])
  return {
    users: users.map(({ allSkills, skills, ...user }) => ({ ...user, skills: allSkills ? '*' : skills })),
    aliases,
    tokens,
    logins,
  }
}
