/**
 * Gives what config.toml declares its rows: they show who is there, and keep names from being given twice. Rights are
 * what the file says, in each process by itself. Repeatable; writes nothing where nothing has changed.
 */
import type { Config } from '../../config/config.ts'
import { namedId } from '../../platform/id.ts'
import type { Database, Statement } from '../database.ts'
import { LOCK_PEOPLE } from './lock-people.ts'

const USERS: Statement = {
  name: 'people.declare-users',
  text: `INSERT INTO users AS u (id, name, role, all_skills, skills, tools, declared, created_at)
    SELECT d.id, d.name, d.role, d."allSkills", d.skills, d.tools, true, $2
    FROM jsonb_to_recordset($1::jsonb) AS d (id text, name text, role user_role, "allSkills" boolean, skills text[], tools text[])
    ON CONFLICT (name) DO UPDATE SET role = excluded.role, all_skills = excluded.all_skills, skills = excluded.skills, tools = excluded.tools,
      declared = true, removed_at = NULL, merged_into = NULL
    WHERE (u.role, u.all_skills, u.skills, u.tools, u.declared, u.removed_at, u.merged_into)
      IS DISTINCT FROM (excluded.role, excluded.all_skills, excluded.skills, excluded.tools, true, NULL::timestamptz, NULL::text)`,
}
const NO_LONGER_USERS: Statement = {
  name: 'people.undeclare-users',
  text: 'UPDATE users SET removed_at = $2 WHERE declared AND removed_at IS NULL AND name <> ALL ($1::text[])',
}
const NO_LONGER_TOKENS: Statement = {
  name: 'people.undeclare-tokens',
  text: 'UPDATE tokens SET revoked_at = $2 WHERE declared AND revoked_at IS NULL AND name <> ALL ($1::text[])',
}
const TOKENS: Statement = {
  name: 'people.declare-tokens',
  text: `INSERT INTO tokens AS t (id, name, sha256, kind, user_name, namespace, declared, created_at)
    SELECT d.id, d.name, decode(d.sha256, 'hex'), d.kind, d.user, d.namespace, true, $2
    FROM jsonb_to_recordset($1::jsonb)
      AS d (id text, name text, sha256 text, kind token_kind, "user" text, namespace text)
    ON CONFLICT (name) DO UPDATE SET sha256 = excluded.sha256, kind = excluded.kind, user_name = excluded.user_name,
      namespace = excluded.namespace, declared = true, expires_at = NULL, revoked_at = NULL
    WHERE (t.sha256, t.kind, t.user_name, t.namespace, t.declared, t.expires_at, t.revoked_at) IS DISTINCT FROM
      (excluded.sha256, excluded.kind, excluded.user_name, excluded.namespace, true, NULL::timestamptz, NULL::timestamptz)`,
}
const NO_LONGER_ALIASES: Statement = {
  name: 'people.undeclare-aliases',
  text: `DELETE FROM user_aliases a WHERE declared AND NOT EXISTS (
    SELECT 1 FROM jsonb_to_recordset($1::jsonb) AS d ("tokenName" text, identity text)
    WHERE (d."tokenName", d.identity) = (a.token_name, a.identity))`,
}
const ALIASES: Statement = {
  name: 'people.declare-aliases',
  text: `INSERT INTO user_aliases AS a (token_name, identity, user_name, declared, created_at)
    SELECT d."tokenName", d.identity, d."userName", true, $2
    FROM jsonb_to_recordset($1::jsonb) AS d ("tokenName" text, identity text, "userName" text)
    ON CONFLICT (token_name, identity) DO UPDATE SET user_name = excluded.user_name, declared = true
    WHERE (a.user_name, a.declared) IS DISTINCT FROM (excluded.user_name, true)`,
}

/** Rejects with DATABASE_UNAVAILABLE (retry: backoff). */
export async function declarePeople(database: Database, { users, tokens }: Config, at: Date): Promise<void> {
  const userRows = [...users.values()].map(({ name, role, skills, tools }) => {
    const allSkills = skills === '*'
    return { id: namedId('user', name), name, role, allSkills, skills: allSkills ? [] : skills, tools }
  })
  const tokenRows = [...tokens.values()].map(({ name, sha256, kind, user, namespace }) => {
    return { id: namedId('token', name), name, sha256: sha256.toString('hex'), kind, user, namespace }
  })
  const aliasRows = [...users.values()].flatMap(({ name: userName, aliases }) =>
    [...aliases].flatMap(([tokenName, identities]) =>
      identities.map((identity) => ({ tokenName, identity, userName })),
    ),
  )
  await database.transaction(async (transaction) => {
    await transaction.query(LOCK_PEOPLE, [])
    await transaction.query(USERS, [JSON.stringify(userRows), at])
    await transaction.query(NO_LONGER_USERS, [[...users.keys()], at])
    await transaction.query(TOKENS, [JSON.stringify(tokenRows), at])
    await transaction.query(NO_LONGER_TOKENS, [[...tokens.keys()], at])
    await transaction.query(NO_LONGER_ALIASES, [JSON.stringify(aliasRows)])
    await transaction.query(ALIASES, [JSON.stringify(aliasRows), at])
  })
}
