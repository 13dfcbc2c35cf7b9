import { expect, test } from 'vitest'
import type { Config } from '../config.ts'
import { parseConfig } from '../parse-config.ts'
import { openerQuota, userQuota } from './quotas.ts'

const MIB = 1024 * 1024
const PEOPLE =
  '[users.ada]\nrole = "admin"\n[users.ben]\nrole = "user"\nskills = []\n' +
  '[tokens.discord]\nkind = "connector"\ntoken = "discord-token-0123456789abcdef"\n'

function parse(lines: string) {
  return parseConfig(PEOPLE + lines, { production: false })
}

function accept(lines: string): Config {
  const parsed = parse(lines)
  if (parsed.kind !== 'valid') throw new Error(JSON.stringify(parsed))
  return parsed.config
}

test('without [quotas] users and connectors have some, and admins none', () => {
  const config = accept('')
  expect(userQuota(config, 'ben')).toEqual({ sessions: 1000, publishedBytes: 1024 * MIB, workspaceBytes: 5120 * MIB })
  expect(userQuota(config, 'ada')).toEqual({ sessions: null, publishedBytes: null, workspaceBytes: null })
  expect(openerQuota(config, 'discord')).toEqual({
    sessions: 10_000,
    publishedBytes: null,
    workspaceBytes: 51_200 * MIB,
  })
  expect(openerQuota(config, '@ben')).toEqual(userQuota(config, 'ben'))
  expect(userQuota(config, 'gone')).toEqual(userQuota(config, 'ben'))
})

test("a user's own quota goes before that of all, figure by figure, an admin's as well", () => {
  const own = '[quotas.users.ben]\nsessions = "unlimited"\npublished_mib = 3\n[quotas.users.ada]\nsessions = 7\n'
  const config = accept(`[quotas]\nuser_sessions = 5\nuser_workspaces_mib = 0\n${own}`)
  expect(userQuota(config, 'ben')).toEqual({ sessions: null, publishedBytes: 3 * MIB, workspaceBytes: 0 })
  expect(userQuota(config, 'ada')).toEqual({ sessions: 7, publishedBytes: null, workspaceBytes: null })
})

test.each([
  ['user_sessions = -1', 'must be a whole number from 0 to 1000000000, or "unlimited"; it is -1'],
  ['user_sessions = "none"', 'or "unlimited"; it is "none"'],
  ['sessions = 1', 'is not a known key; known here: user_sessions, '],
])('%s is refused', (line, text) => {
  const parsed = parse(`[quotas]\n${line}\n`)
  expect(JSON.stringify(parsed)).toContain(JSON.stringify(text).slice(1, -1))
})

test('a quota of nobody is warned of', () => {
  const parsed = parse('[quotas.users.zoe]\nsessions = 1\n')
  expect(JSON.stringify(parsed)).toContain('has no effect: there is no user of this name in [users]')
})
