import { expect, test } from 'vitest'
import { parseConfig } from '../parse-config.ts'
import { authenticate } from './authenticate.ts'
import { currentUser } from './current-user.ts'
import { resolveSender } from './resolve-sender.ts'
import { hashToken } from './token-hash.ts'
import { nextExpiry, withPeople, type StoredPeople, type StoredToken, type StoredUser } from './with-people.ts'

const parsed = parseConfig(
  `
[tokens.cli]
token = "cli-token"
kind = "user"
user = "marco"
[tokens.discord]
token = "discord-token"
kind = "connector"
[users.marco]
role = "admin"
aliases.discord = "Marco#1"
`,
  { production: false },
)
if (parsed.kind === 'invalid') throw new Error(JSON.stringify(parsed.problems))
const declared = parsed.config
const NOW = new Date('2026-11-23T12:00:00Z')

const anna: StoredUser = { name: 'anna', role: 'USER', skills: ['search'], tools: [], mergedInto: null, removed: false }
const phone: StoredToken = {
  name: 'phone',
  sha256: hashToken('phone-token'),
  kind: 'USER',
  userName: 'anna',
  namespace: null,
  expiresAt: null,
}
const config = (stored: Partial<StoredPeople>) =>
  withPeople(declared, { users: [], aliases: [], tokens: [], logins: [], ...stored }, NOW)
const senderOf = (of: ReturnType<typeof config>, identity: string) =>
  resolveSender(
    of,
    { tokenName: 'discord', tokenKind: 'CONNECTOR', namespace: 'discord', user: null, role: 'USER' },
    identity,
  )

test('a user of the rows has role, skills, tokens and aliases as one of the file does', () => {
  const alias = { tokenName: 'discord', identity: 'Anna#1', userName: 'anna' }
  const now = config({ users: [anna], tokens: [phone], aliases: [alias] })
  expect(authenticate(now, 'phone-token')).toMatchObject({ tokenName: 'phone', user: { name: 'anna', role: 'USER' } })
  expect(currentUser(now, 'anna')).toEqual({ name: 'anna', role: 'USER', skills: ['search'], tools: [] })
  expect(senderOf(now, 'Anna#1')).toEqual({ trusted: true, name: 'anna', role: 'USER' })
})

test('what the file declares wins over rows of the same name, and of the same identity', () => {
  const now = config({
    users: [anna, { ...anna, name: 'marco' }],
    tokens: [{ ...phone, name: 'cli' }],
    aliases: [
      { tokenName: 'discord', identity: 'Marco#1', userName: 'anna' },
      { tokenName: 'discord', identity: 'Marco#2', userName: 'marco' },
    ],
  })
  expect(currentUser(now, 'marco')?.role).toBe('ADMIN')
  expect(authenticate(now, 'phone-token')).toBeNull()
  expect(authenticate(now, 'cli-token')).toMatchObject({ user: { name: 'marco' } })
  expect(senderOf(now, 'Marco#1')).toMatchObject({ name: 'marco' })
  expect(senderOf(now, 'Marco#2')).toMatchObject({ name: 'marco' })
})

test('who was removed has no token and no alias; a token is over at its time', () => {
  const alias = { tokenName: 'discord', identity: 'Anna#1', userName: 'anna' }
  const removed = config({ users: [{ ...anna, removed: true }], tokens: [phone], aliases: [alias] })
  expect(authenticate(removed, 'phone-token')).toBeNull()
  expect(currentUser(removed, 'anna')).toBeNull()
  expect(senderOf(removed, 'Anna#1')).toEqual({ trusted: false, name: 'Anna#1' })
  const at = (expiresAt: Date) => config({ users: [anna], tokens: [{ ...phone, expiresAt }] })
  expect(authenticate(at(NOW), 'phone-token')).toBeNull()
  expect(authenticate(at(new Date(NOW.getTime() + 1)), 'phone-token')).not.toBeNull()
})

test('who has become another is that one, also over two steps and in a circle', () => {
  const merged = (name: string, mergedInto: string) => ({ ...anna, name, mergedInto, removed: true })
  const now = config({
    users: [anna, merged('ann', 'annie'), merged('annie', 'anna'), merged('x', 'y'), merged('y', 'x')],
  })
  expect(currentUser(now, 'ann')).toMatchObject({ name: 'anna' })
  expect(currentUser(now, 'annie')).toMatchObject({ name: 'anna' })
  expect(currentUser(now, 'x')).toBeNull()
  expect(now.users.has('ann')).toBe(false)
})

test('the next time at which a token is over', () => {
  const at = (offset: number) => ({ ...phone, expiresAt: new Date(NOW.getTime() + offset) })
  const tokens = [at(-1), at(5000), at(3000), phone]
  expect(nextExpiry({ users: [], aliases: [], tokens, logins: [] }, NOW)).toEqual(new Date(NOW.getTime() + 3000))
  expect(nextExpiry({ users: [], aliases: [], tokens: [phone], logins: [] }, NOW)).toBeNull()
})
