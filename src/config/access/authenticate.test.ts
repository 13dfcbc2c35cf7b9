import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { authenticate } from './authenticate.ts'
import type { Config } from '../config.ts'
import { newToken } from '../command-line/new-token.ts'
import { parseConfig } from '../parse-config.ts'
import { hashToken } from './token-hash.ts'

function configOf(toml: string): Config {
  const parsed = parseConfig(toml, { production: false })
  if (parsed.kind === 'invalid') throw new Error(JSON.stringify(parsed.problems))
  return parsed.config
}

const config = configOf(`
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
namespace = "discord"
[users.marco]
role = "admin"
[users.anna]
role = "user"
skills = []
`)

describe('authenticate', () => {
  test('a token of kind user is its user, with their role', () => {
    expect(authenticate(config, 'cli-token')).toEqual({
      tokenName: 'cli',
      tokenKind: 'USER',
      namespace: null,
      user: { name: 'marco', role: 'ADMIN' },
      role: 'ADMIN',
    })
    expect(authenticate(config, 'phone-token')).toMatchObject({ user: { name: 'anna', role: 'USER' }, role: 'USER' })
  })

  test('a connector is no user and never an admin', () => {
    expect(authenticate(config, 'discord-token')).toEqual({
      tokenName: 'discord',
      tokenKind: 'CONNECTOR',
      namespace: 'discord',
      user: null,
      role: 'USER',
    })
  })

  test('nothing else is anybody', () => {
    const near = [
      '',
      'cli',
      'CLI-TOKEN',
      'cli-token ',
      ' cli-token',
      'cli-toke',
      hashToken('cli-token').toString('hex'),
    ]
    expect(near.map((token) => authenticate(config, token))).toEqual(near.map(() => null))
    fc.assert(fc.property(fc.string(), (token) => authenticate(config, token) === null))
  })

  test('a token of another configuration is unknown, also when the names are the same', () => {
    const [name, token] = ['cli', config.tokens.get('cli')] as const
    if (token === undefined) throw new Error('the sample has no such token')
    const replaced = { ...config, tokens: new Map([[name, { ...token, sha256: hashToken('another') }]]) }
    expect(authenticate(replaced, 'cli-token')).toBeNull()
    expect(authenticate(replaced, 'another')).toMatchObject({ tokenName: 'cli' })
    expect(authenticate(config, 'cli-token')).toMatchObject({ tokenName: 'cli' })
  })

  test('a new token is let in by the hash it came with, and no two are the same', () => {
    const [one, two] = [newToken(), newToken()]
    expect(hashToken(one.token).toString('hex')).toBe(one.sha256)
    expect(one.token).not.toBe(two.token)
  })
})
