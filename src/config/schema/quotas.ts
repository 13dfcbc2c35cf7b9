/** `[quotas]`: how much a user, or a connector, may keep on the server. Says which quota holds for whom. */
import * as z from 'zod'
import { USER_MARK } from '../../core/session/session-id.ts'
import type { Config, Quota, Quotas } from '../config.ts'
import { name, says } from '../field.ts'

const MIB = 1024 * 1024
const rule = says('must be a whole number from 0 to 1000000000, or "unlimited"')
const MAX = 1_000_000_000
const quota = z.union([z.int(rule).min(0, rule).max(MAX, rule), z.literal('unlimited')], rule)

const userQuotaSchema = z.strictObject(
  {
    sessions: quota.optional().meta({ description: 'Instead of user_sessions.' }),
    published_mib: quota.optional().meta({ description: 'Instead of user_published_mib.' }),
    workspaces_mib: quota.optional().meta({ description: 'Instead of user_workspaces_mib.' }),
  },
  says('must be a section [quotas.users.<name>]'),
)

export const quotasSchema = z.strictObject(
  {
    user_sessions: quota.default(1000).meta({
      description: 'How many sessions a user may have opened that are not deleted; schedules open them in their name.',
    }),
    user_published_mib: quota.default(1024).meta({
      description:
        'How many MiB the files may have together that the turns of a user have published and that can still be had.',
    }),
    user_workspaces_mib: quota.default(5120).meta({
      description: 'How many MiB the workspaces may have together of the sessions that a user has opened.',
    }),
    connector_sessions: quota.default(10_000).meta({
      description: 'How many sessions the token of a connector may have opened, for all people together.',
    }),
    connector_workspaces_mib: quota.default(51_200).meta({
      description: 'How many MiB the workspaces of these sessions may have together.',
    }),
    users: z.record(name(), userQuotaSchema, says('must be sections [quotas.users.<name>]')).default({}).meta({
      description:
        'Quotas of single users: [quotas.users.<name>] with sessions, published_mib, workspaces_mib. Admins have none but these.',
    }),
  },
  says('must be a section [quotas]'),
)

type QuotasSection = z.output<typeof quotasSchema>
type Value = z.output<typeof quota> | undefined

export function toQuotas(section: QuotasSection): Quotas {
  const user: Quota = {
    sessions: sessions(section.user_sessions),
    publishedBytes: bytes(section.user_published_mib),
    workspaceBytes: bytes(section.user_workspaces_mib),
  }
  const connector: Quota = {
    sessions: sessions(section.connector_sessions),
    publishedBytes: null,
    workspaceBytes: bytes(section.connector_workspaces_mib),
  }
  const users = Object.entries(section.users).map(([userName, own]): [string, Partial<Quota>] => [
    userName,
    {
      ...(own.sessions === undefined ? {} : { sessions: sessions(own.sessions) }),
      ...(own.published_mib === undefined ? {} : { publishedBytes: bytes(own.published_mib) }),
      ...(own.workspaces_mib === undefined ? {} : { workspaceBytes: bytes(own.workspaces_mib) }),
    },
  ])
  return { user, connector, users: new Map(users) }
}

function sessions(value: Value): number | null {
  return typeof value === 'number' ? value : null
}

function bytes(value: Value): number | null {
  return typeof value === 'number' ? value * MIB : null
}

const NONE: Quota = { sessions: null, publishedBytes: null, workspaceBytes: null }

export function userQuota({ quotas, users }: Pick<Config, 'quotas' | 'users'>, userName: string): Quota {
  const general = users.get(userName)?.role === 'ADMIN' ? NONE : quotas.user
  return { ...general, ...quotas.users.get(userName) }
}

/** `opener`: as a session names who opened it (src/config/access/session-access.ts). */
export function openerQuota(config: Pick<Config, 'quotas' | 'users'>, opener: string): Quota {
  return opener.startsWith(USER_MARK) ? userQuota(config, opener.slice(USER_MARK.length)) : config.quotas.connector
}
