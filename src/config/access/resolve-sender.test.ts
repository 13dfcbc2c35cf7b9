import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Viewer } from '../../core/identity.ts'
import type { Config, UserConfig } from '../config.ts'
import { currentUser } from './current-user.ts'
import { parseConfig } from '../parse-config.ts'
import { resolveSender } from './resolve-sender.ts'

const parsed = parseConfig(
  `
[tokens.cli]
token = "cli-token"
kind = "user"
user = "marco"
[tokens.phone]
token = "phone-token"
kind = "user"
user = "anna"
[tokens.discord]
token = "discord-token"
kind = "connector"
[tokens.slack]
token = "slack-token"
kind = "connector"
[users.marco]
role = "admin"
aliases.discord = "Marco#1234"
aliases.slack = "anna"
[users.anna]
role = "user"
skills = ["search"]
aliases.discord = "Änna"
`,
  { production: false },
)
if (parsed.kind === 'invalid') throw new Error(JSON.stringify(parsed.problems))
const config: Config = parsed.config

const connector = (tokenName: string): Viewer => ({
  tokenName,
  tokenKind: 'CONNECTOR',
  namespace: null,
  user: null,
  role: 'USER',
})
const bound: Viewer = {
  tokenName: 'phone',
  tokenKind: 'USER',
  namespace: null,
  user: { name: 'anna', role: 'USER' },
  role: 'USER',
}

const refusedUser = (message: string) => ({
  kind: 'InvalidInput',
  message: expect.stringContaining(message),
  issues: [{ path: ['user'], message: expect.stringContaining(message) }],
})

describe('a token of kind user', () => {
  test.each([undefined, null, 'anna'])('with user = %s speaks for its user', (user) => {
    expect(resolveSender(config, bound, user)).toEqual({ trusted: true, name: 'anna', role: 'USER' })
  })

  test.each(['marco', 'Anna', 'Änna', ''])('with user = "%s" is refused', (user) => {
    expect(resolveSender(config, bound, user)).toEqual(refusedUser('This token acts for "anna" only'))
  })

  test('has the role that its user has now, not when the request came in', () => {
    const promoted = withUser({ ...user('anna'), role: 'ADMIN' })
    expect(resolveSender(promoted, bound, undefined)).toEqual({ trusted: true, name: 'anna', role: 'ADMIN' })
  })

  test('is refused when its user is no longer there', () => {
    const without = { ...config, users: new Map([...config.users].filter(([name]) => name !== 'anna')) }
    expect(resolveSender(without, bound, undefined)).toEqual(refusedUser('no longer known'))
  })
})

describe('a connector', () => {
  test('must name the sender', () => {
    for (const missing of [undefined, null]) {
      expect(resolveSender(config, connector('discord'), missing)).toEqual(refusedUser('must name the sender'))
    }
  })

  test.each([
    { token: 'discord', alias: 'Marco#1234', name: 'marco', role: 'ADMIN' },
    { token: 'discord', alias: 'Änna', name: 'anna', role: 'USER' },
    { token: 'slack', alias: 'anna', name: 'marco', role: 'ADMIN' },
  ])('$token: the alias $alias is $name', ({ token, alias, name, role }) => {
    expect(resolveSender(config, connector(token), alias)).toEqual({ trusted: true, name, role })
  })

  test.each([
    ['a user name', 'discord', 'marco'],
    ['an alias of another connector', 'slack', 'Marco#1234'],
    ['an alias in other capitals', 'discord', 'marco#1234'],
    ['an alias with a space around', 'discord', 'Marco#1234 '],
    ['an alias in another normal form', 'discord', 'Änna'.normalize('NFD')],
    ['an alias that looks the same', 'discord', 'Mаrco#1234'],
    ['a name that every object has', 'discord', '__proto__'],
    ['an unknown identity', 'discord', 'Eve'],
  ])('%s is a stranger', (_what, token, identity) => {
    expect(resolveSender(config, connector(token), identity)).toEqual({ trusted: false, name: identity })
  })

  test.each(['', 'x'.repeat(256), 'a\0b', 'a\uD800'])('an identity that cannot be stored is refused', (identity) => {
    expect(resolveSender(config, connector('discord'), identity)).toEqual(refusedUser('must be 1 to 255 characters'))
  })

  test('never becomes a user without an alias of its own token, whatever it says', () => {
    const aliases = new Set(['Marco#1234', 'Änna'])
    const near = fc.constantFrom('marco', 'anna', 'MARCO', 'Marco#1234', 'marco#1234', 'cli', 'discord', 'constructor')
    const variant = fc
      .tuple(near, fc.constantFrom('', ' ', '\u200b', '\u0301', ':', '#'))
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(fc.oneof(variant, fc.string({ unit: 'grapheme' }), near), (identity) => {
        const sender = resolveSender(config, connector('discord'), identity)
        expect('trusted' in sender && sender.trusted).toBe(aliases.has(identity))
      }),
    )
  })
})

describe('currentUser', () => {
  test('is the user with role and skills as configured now', () => {
    expect(currentUser(config, 'anna')).toEqual({ name: 'anna', role: 'USER', skills: ['search'], tools: [] })
    expect(currentUser(config, 'marco')).toEqual({ name: 'marco', role: 'ADMIN', skills: '*', tools: [] })
  })

  test.each(['eve', 'Anna', 'constructor', ''])('is null for "%s"', (name) => {
    expect(currentUser(config, name)).toBeNull()
  })
})

function user(name: string): UserConfig {
  const found = config.users.get(name)
  if (found === undefined) throw new Error(`the sample has no user ${name}`)
  return found
}

function withUser(changed: UserConfig): Config {
  return { ...config, users: new Map([...config.users, [changed.name, changed]]) }
}
